/* SPDX-License-Identifier: GPL-2.0-or-later */
/* distributions.h - the normal, Student's and the beta distribution. Pure. */
#pragma once

/* The quantile of the standard normal distribution, 0 < @p < 1, to about 1e-9.
 * Source: P. J. Acklam's rational approximation, refined by one step of Halley's method. */
double normal_quantile(double p);

/* The two-sided quantile of Student's t: |t| is larger with the probability @alpha, 0 < @alpha < 1. @df >= 2,
 * a real number. Exact at 2, and to four digits above. Source: G. W. Hill, Algorithm 396: Student's
 * t-quantiles, CACM 13 (1970). */
double student_quantile(double alpha, double df);

/* The probability with which |t| is larger, @t >= 0. */
double student_tail(double t, double df);

/* The probability of a beta distribution below @x, 0 < @x < 1, @a and @b > 0. A continued fraction: DLMF
 * 8.17.22, evaluated by Lentz's method. */
double beta_distribution(double x, double a, double b);

/* The quantile of the beta distribution, 0 < @p < 1, @a and @b > 0, to about 1e-12, by bisection. */
double beta_quantile(double p, double a, double b);
