/* Copyright screw_dynamics contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What translated kernels call: memory of a thread, numbers, short vectors of samples, arguments.
 */
#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#include <Python.h>
#include <numpy/arrayobject.h>

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With CHECK_INDICES, every array has a block of its own, so that tools that watch the memory see
 * what lies beyond it, and is filled with NaN. */
#ifdef CHECK_INDICES
enum { CHECKED_MEMORY = 1 };
#else
enum { CHECKED_MEMORY = 0 };
#endif
#if defined(CHECK_INDICES) && defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(start, size)
#endif

#define NOT_INLINE __attribute__((noinline))

/* Memory: blocks of a thread, which are kept for its next call up to some size, until it ends. */
typedef struct block {
    struct block *next;
    size_t size, used;
} block_t;

typedef struct {
    block_t *block;
    size_t used;
} place_t;

enum { FIRST_BLOCK = 1 << 16, LARGEST_KEPT = 1 << 22, STEP = 32 };

static _Thread_local block_t *first_block, *last_block;
static _Thread_local jmp_buf *out_of_memory;

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

static void free_blocks(void *first)
{
    for (block_t *block = first; block;) {
        block_t *next = block->next;
        free(block);
        block = next;
    }
}

static void make_key(void)
{
    pthread_key_create(&key, free_blocks);
}

/* Set the first block, which is freed with those behind it when the thread ends. */
static void set_first_block(block_t *block)
{
    first_block = block;
    pthread_once(&key_once, make_key);
    pthread_setspecific(key, block);
}

static inline place_t marked(void)
{
    place_t place = {last_block, last_block ? last_block->used : 0};
    return place;
}

static inline void released(place_t place)
{
    block_t *block = place.block ? place.block : first_block;
    if (block) {
        block->used = place.block ? place.used : 0;
        last_block = block;
    }
}

static NOT_INLINE void add_block(size_t size)
{
    block_t *next = last_block ? last_block->next : first_block;
    if (next && (CHECKED_MEMORY || next->size < size)) {
        /* those behind the last one are not in use */
        if (last_block)
            last_block->next = NULL;
        else
            set_first_block(NULL);
        free_blocks(next);
        next = NULL;
    }
    if (!next) {
        size_t whole = CHECKED_MEMORY || size > FIRST_BLOCK ? size : FIRST_BLOCK;
        next = malloc(sizeof(block_t) + STEP + whole);
        if (!next)
            longjmp(*out_of_memory, 1);
        next->next = NULL;
        next->size = whole;
        if (last_block)
            last_block->next = next;
        else
            set_first_block(next);
    }
    next->used = 0;
    last_block = next;
}

static inline void *allocate(size_t asked)
{
    size_t size = (asked + STEP - 1) & ~(size_t)(STEP - 1);
    if (CHECKED_MEMORY || !last_block || last_block->size - last_block->used < size)
        add_block(size);
    uintptr_t start = ((uintptr_t)(last_block + 1) + STEP - 1) & ~(uintptr_t)(STEP - 1);
    void *place = (void *)(start + last_block->used);
    last_block->used += size;
    if (CHECKED_MEMORY) {
        char *after = (char *)place + asked, *end = (char *)(last_block + 1) + STEP + size;
        memset(place, 0xff, asked);
        ASAN_POISON_MEMORY_REGION(after, end - after);
    }
    return place;
}

static inline void *zeros(size_t size)
{
    void *place = allocate(size);
    memset(place, 0, size);
    return place;
}

/* After a call: only some memory is kept. */
static inline void end_call(void)
{
    if (!first_block)
        return;
    if (first_block->next || first_block->size > LARGEST_KEPT) {
        size_t most = 0, kept = first_block->size;
        for (block_t *block = first_block; block; block = block->next)
            most += block->size;
        if (most <= LARGEST_KEPT && most > kept)
            kept = most;
        block_t *old = first_block, *one = NULL;
        if (kept <= LARGEST_KEPT && (one = malloc(sizeof(block_t) + STEP + kept))) {
            one->next = NULL;
            one->size = kept;
        }
        set_first_block(one);
        free_blocks(old);
    }
    if (first_block)
        first_block->used = 0;
    last_block = first_block;
}

/* Numbers, beside those of numbers.h */
#ifdef CHECK_INDICES
static inline int64_t CHECKED(int64_t index, int64_t size)
{
    if (index < 0 || index >= size) {
        fprintf(stderr, "index %lld of %lld\n", (long long)index, (long long)size);
        abort();
    }
    return index;
}
#else
#define CHECKED(index, size) (index)
#endif

static inline double unless_small(double value, double bound)
{
    return fabs(value) > bound ? value : NAN;
}

/* Short vectors of samples: those of a register; with wider ones, kernels need too many. */
#ifdef __AVX2__
enum { LANE_COUNT = 4 };
#else
enum { LANE_COUNT = 2 };
#endif
typedef double lanes __attribute__((vector_size(8 * LANE_COUNT), aligned(8)));
/* the same in an array of doubles */
typedef lanes stored_lanes __attribute__((may_alias));

static inline lanes every_lane(double value)
{
    return value - (lanes){0.0};
}

static inline lanes strided(const double *start, int64_t stride)
{
    lanes result = {start[0], start[stride]};
    for (int k = 2; k < LANE_COUNT; k++)
        result[k] = start[k * stride];
    return result;
}

static inline void set_strided(double *start, int64_t stride, lanes value)
{
    for (int k = 0; k < LANE_COUNT; k++)
        start[k * stride] = value[k];
}

static inline lanes magnitudes(lanes value)
{
    for (int k = 0; k < LANE_COUNT; k++)
        value[k] = fabs(value[k]);
    return value;
}

static inline lanes lanes_unless_small(lanes value, lanes bound)
{
    for (int k = 0; k < LANE_COUNT; k++)
        value[k] = unless_small(value[k], bound[k]);
    return value;
}

/* Arguments */
static inline PyArrayObject *checked_array(PyObject *given, int type, int ndim, int writable)
{
    PyArrayObject *array = (PyArrayObject *)given;
    if (!PyArray_Check(given) || PyArray_TYPE(array) != type || PyArray_NDIM(array) != ndim
        || !PyArray_IS_C_CONTIGUOUS(array) || !PyArray_ISALIGNED(array)
        || !PyArray_ISNOTSWAPPED(array) || (writable && !PyArray_ISWRITEABLE(array))) {
        PyErr_SetString(PyExc_TypeError, "an argument of a kernel has another type");
        return NULL;
    }
    return array;
}
