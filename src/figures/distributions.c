/* SPDX-License-Identifier: GPL-2.0-or-later */
/* distributions.c - approximations of distributions and their quantiles. */
#include "src/figures/distributions.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* From here on t and the normal distribution differ by less than the approximation's error. */
static const double DF_NORMAL = 1e6;

/* @coefficients from the highest power down. */
static double polynomial(const double *coefficients, size_t n, double x)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum = sum * x + coefficients[i];
	return sum;
}

#define POLYNOMIAL(coefficients, x)                                                                          \
	polynomial(coefficients, sizeof(coefficients) / sizeof(*(coefficients)), x)

/* Acklam's approximation of the lower tail, p < 0.02425. */
static double lower_tail_quantile(double p)
{
	static const double above[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
		-2.549732539343734e+00, 4.374664141464968e+00, 2.938163982698783e+00};
	static const double below[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
		3.754408661907416e+00, 1};
	double q = sqrt(-2 * log(p));

	return POLYNOMIAL(above, q) / POLYNOMIAL(below, q);
}

/* Acklam's approximation of the middle. */
static double middle_quantile(double p)
{
	static const double above[] = {-3.969683028665376e+01, 2.209460984245205e+02, -2.759285104469687e+02,
		1.383577518672690e+02, -3.066479806614716e+01, 2.506628277459239e+00};
	static const double below[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
		6.680131188771972e+01, -1.328068155288572e+01, 1};
	double q = p - 0.5, r = q * q;

	return POLYNOMIAL(above, r) * q / POLYNOMIAL(below, r);
}

double normal_quantile(double p)
{
	static const double tail = 0.02425;
	double x = p < tail       ? lower_tail_quantile(p)
		   : p > 1 - tail ? -lower_tail_quantile(1 - p)
				  : middle_quantile(p);
	double error = 0.5 * erfc(-x / M_SQRT2) - p;
	double step = error * sqrt(2 * M_PI) * exp(x * x / 2);

	return x - step / (1 + x * step / 2);
}

double student_quantile(double alpha, double df)
{
	if (df > DF_NORMAL)
		return -normal_quantile(alpha / 2);
	if (df < 2.01)
		return sqrt(2 / (alpha * (2 - alpha)) - 2);

	/* The names are Hill's. */
	double a = 1 / (df - 0.5);
	double b = 48 / (a * a);
	double c = ((20700 * a / b - 98) * a - 16) * a + 96.36;
	double d = ((94.5 / (b + c) - 3) / b + 1) * sqrt(a * M_PI / 2) * df;
	double x = d * alpha;
	double y = pow(x, 2 / df);

	if (y > 0.05 + a) {
		x = normal_quantile(alpha / 2);
		y = x * x;
		if (df < 5)
			c += 0.3 * (df - 4.5) * (x + 0.6);
		c += (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b;
		y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x;
		y = expm1(a * y * y);
	} else {
		y = ((1 / (((df + 6) / (df * y) - 0.089 * d - 0.822) * (df + 2) * 3) + 0.5 / (df + 4)) * y -
			    1) *
			    (df + 1) / (df + 2) +
		    1 / y;
	}
	return sqrt(df * y);
}

/* The continued fraction of the incomplete beta function, x < (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
	double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), fraction = d;

	for (unsigned term = 2; term < 20000; term++) {
		unsigned m = term / 2;
		bool is_odd = term % 2;
		double numerator = is_odd ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
					  : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));

		d = 1 / (1 + numerator * d);
		c = 1 + numerator / c;
		fraction *= c * d;
		if (is_odd && fabs(c * d - 1) < 1e-14)
			break;
	}
	return fraction;
}

double beta_distribution(double x, double a, double b)
{
	double scale = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));

	return x < (a + 1) / (a + b + 2) ? scale * beta_fraction(x, a, b) / a
					 : 1 - scale * beta_fraction(1 - x, b, a) / b;
}

double beta_quantile(double p, double a, double b)
{
	double low = 0, high = 1;

	while (high - low > 1e-12 * high) {
		double middle = (low + high) / 2;

		if (beta_distribution(middle, a, b) < p)
			low = middle;
		else
			high = middle;
		if (middle < 1e-300)
			break;
	}
	return (low + high) / 2;
}

double student_tail(double t, double df)
{
	return t > 0 ? beta_distribution(df / (df + t * t), df / 2, 0.5) : 1;
}
