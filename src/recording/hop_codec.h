/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hop_codec.h - what a tick says of hops, as bytes behind what it says of rings. Known by tick_codec.c alone.
 */
#pragma once

#include "src/recording/tick_codec.h"

int hop_codec_init(struct tick_codec *codec); /* 0 or -ENOMEM; of a codec that knows its members */
void hop_codec_forget(struct tick_codec *codec);

void hops_encode(struct tick_codec *codec, const struct tick *tick, struct bytes *bytes);
/* Behind a tick whose rings have been read. 0, -ENOMEM or -EINVAL. */
int hops_decode(struct tick_codec *codec, struct scan *scan, struct tick *tick);
