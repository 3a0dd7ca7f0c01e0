/* SPDX-License-Identifier: GPL-2.0-or-later */
/* order.c - the rows' order by a column. */
#include "ui/order.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "src/session.h"
#include "ui/columns.h"

static int compare(const void *a, const void *b)
{
	const struct order_row *x = a, *y = b;

	if (isnan(x->key) != isnan(y->key))
		return isnan(x->key) ? 1 : -1;
	if (x->key < y->key || x->key > y->key)
		return x->key < y->key ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

static int reserve(struct order *order, size_t n)
{
	struct order_row *rows;

	if (n <= order->allocated)
		return 0;
	rows = realloc(order->rows, n * sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	order->rows = rows;
	order->allocated = n;
	return 0;
}

int order_make(
	struct order *order, const struct session *session, enum figure figure, size_t column, bool inverted)
{
	bool largest_first = columns_table[column].largest_first != inverted;

	if (reserve(order, session->n_rings) < 0)
		return -ENOMEM;
	order->n = session->n_rings;
	for (size_t i = 0; i < order->n; i++) {
		struct row row = columns_row(session, &session->rings[i], figure, UNIT_NS);
		double key = columns_table[column].value(&columns_table[column], &row);

		order->rows[i] = (struct order_row){
			.index = i,
			.id = session->rings[i].id,
			.key = largest_first ? -key : key,
		};
	}
	if (order->n)
		qsort(order->rows, order->n, sizeof(*order->rows), compare);
	return 0;
}

void order_finish(struct order *order)
{
	free(order->rows);
	*order = (struct order){0};
}
