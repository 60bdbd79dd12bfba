/* Copyright screw_dynamics contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Functions of numbers that translated functions call.
 */
static inline int64_t wrapped(int64_t index, int64_t size)
{
    return index < 0 ? index + size : index;
}

static inline int64_t length(int64_t low, int64_t high)
{
    return high > low ? high - low : 0;
}

static inline int64_t at_most(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t least_i(int64_t a, int64_t b)
{
    return b < a ? b : a;
}

static inline int64_t most_i(int64_t a, int64_t b)
{
    return b > a ? b : a;
}

static inline int64_t floor_quotient(int64_t a, int64_t b)
{
    int64_t quotient = a / b;
    return quotient - (quotient * b != a && (a < 0) != (b < 0));
}

static inline int64_t floor_rest(int64_t a, int64_t b)
{
    return a - b * floor_quotient(a, b);
}

static inline double least_d(double a, double b)
{
    return b < a ? b : a;
}

static inline double most_d(double a, double b)
{
    return b > a ? b : a;
}
