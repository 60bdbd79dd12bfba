// Copyright screw_dynamics contributors
// SPDX-License-Identifier: Apache-2.0
//
// Counts what an update must not do: calls of malloc and free (an exception allocates too) and
// of locks that wait. To be included once per program or preloaded library.
#ifndef WATCHED_HPP_
#define WATCHED_HPP_

#include <dlfcn.h>
#include <pthread.h>

#include <cstddef>
#include <cstdlib>

namespace watched
{
// of the thread that has set `counting`
inline thread_local bool counting = false;
inline thread_local long allocations = 0;
inline thread_local long locks = 0;

template<typename Function>
Function * next(const char * name)
{
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

// False if the functions below are not those that are called.
inline bool works()
{
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  const long before = allocations, locked = locks;
  counting = true;
  void * volatile probe = std::malloc(1);
  std::free(probe);
  pthread_mutex_lock(&mutex);
  counting = false;
  pthread_mutex_unlock(&mutex);
  const bool result = allocations == before + 2 && locks == locked + 1;
  allocations = before;
  locks = locked;
  return result;
}
}  // namespace watched

extern "C" {
void * __libc_malloc(std::size_t size);
void __libc_free(void * pointer);
void * __libc_realloc(void * pointer, std::size_t size);
void * __libc_calloc(std::size_t count, std::size_t size);

void * malloc(std::size_t size)
{
  watched::allocations += watched::counting;
  return __libc_malloc(size);
}

void free(void * pointer)
{
  watched::allocations += watched::counting;
  __libc_free(pointer);
}

void * realloc(void * pointer, std::size_t size)
{
  watched::allocations += watched::counting;
  return __libc_realloc(pointer, size);
}

void * calloc(std::size_t count, std::size_t size)
{
  watched::allocations += watched::counting;
  return __libc_calloc(count, size);
}

int pthread_mutex_lock(pthread_mutex_t * mutex)
{
  static auto * const original = watched::next<int(pthread_mutex_t *)>("pthread_mutex_lock");
  watched::locks += watched::counting;
  return original(mutex);
}

int pthread_rwlock_rdlock(pthread_rwlock_t * lock)
{
  static auto * const original = watched::next<int(pthread_rwlock_t *)>("pthread_rwlock_rdlock");
  watched::locks += watched::counting;
  return original(lock);
}

int pthread_rwlock_wrlock(pthread_rwlock_t * lock)
{
  static auto * const original = watched::next<int(pthread_rwlock_t *)>("pthread_rwlock_wrlock");
  watched::locks += watched::counting;
  return original(lock);
}
}

#endif  // WATCHED_HPP_
