/* Copyright screw_dynamics contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The extension module. Its makers define NAME, the module's name; `kernels.inc` has METHODS and
 * STAMP, a digest of the sources that the kernels were translated from.
 */
#include "kernels.inc"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define JOINED_OF(a, b) a##b
#define JOINED(a, b) JOINED_OF(a, b)

/* Return whether the processor has the instructions that the other build of this module uses. */
static int is_wide(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")
        && __builtin_cpu_supports("fma");
#else
    return 0;
#endif
}

static int fill(PyObject *module)
{
    /* not import_array1, which prints a traceback and hides the cause */
    if (_import_array() < 0 || PyModule_AddIntConstant(module, "WIDE", is_wide()))
        return -1;
    return PyModule_AddStringConstant(module, "STAMP", STAMP);
}

/* What kernels keep is of their thread. */
static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)fill},
#ifdef Py_mod_gil
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, TEXT(NAME), NULL, 0, METHODS, slots, NULL, NULL, NULL,
};

PyMODINIT_FUNC JOINED(PyInit_, NAME)(void)
{
    return PyModuleDef_Init(&definition);
}
