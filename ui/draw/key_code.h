/* SPDX-License-Identifier: GPL-2.0-or-later */
/* key_code.h - keys and mouse events as numbers: a letter or control character has its own code. */
#pragma once

enum key_code {
	KEY_CODE_NONE = 0,
	KEY_CODE_ENTER = 13,
	KEY_CODE_ESCAPE = 27,
	KEY_CODE_BACKSPACE = 127,
	KEY_CODE_TAB = 9,
	KEY_CODE_CTRL_L = 12,
	KEY_CODE_CTRL_U = 21,
	KEY_CODE_ARROW_UP = 0x110000, /* past Unicode */
	KEY_CODE_ARROW_DOWN,
	KEY_CODE_ARROW_LEFT,
	KEY_CODE_ARROW_RIGHT,
	KEY_CODE_FIRST, /* Home */
	KEY_CODE_LAST,  /* End */
	KEY_CODE_PAGE_UP,
	KEY_CODE_PAGE_DOWN,
	KEY_CODE_F1,
	KEY_CODE_F2,
	KEY_CODE_F6 = KEY_CODE_F1 + 5,
	KEY_CODE_F7,
	KEY_CODE_F8,
	KEY_CODE_F10 = KEY_CODE_F1 + 9,
	KEY_CODE_CLICK, /* the mouse's, with a position: see frame_press() */
	KEY_CODE_WHEEL_UP,
	KEY_CODE_WHEEL_DOWN,
};
