# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions in C with the interface of CasADi's external functions, around generated ones."""

from __future__ import annotations

import re
from string import Template

# Matrices are dense, by columns: those of a joint jet are the rows of the generated functions
_FUNCTION = Template("""
int $name(const double **arg, double **res, casadi_int *iw, double *w, int mem)
{
    (void)iw;
    (void)mem;
    const double *jet = arg[0] ? arg[0] : ${prefix}_no_motion;
    $body
    return 0;
}

casadi_int ${name}_n_in(void)
{
    return $inputs;
}

casadi_int ${name}_n_out(void)
{
    return 1;
}

const char *${name}_name_in(casadi_int i)
{
    return i == 0 ? "joint_jet" : "out_efforts";
}

const char *${name}_name_out(casadi_int i)
{
    return i == 0 ? "$out" : 0;
}

const casadi_int *${name}_sparsity_in(casadi_int i)
{
    static const casadi_int jet[3] = {$n, $rows, 1}, efforts[3] = {$n, $orders, 1};
    return i == 0 ? jet : efforts;
}

const casadi_int *${name}_sparsity_out(casadi_int i)
{
    static const casadi_int result[3] = {$height, $width, 1};
    return i == 0 ? result : 0;
}

int ${name}_work(casadi_int *sz_arg, casadi_int *sz_res, casadi_int *sz_iw, casadi_int *sz_w)
{
    if (sz_arg) {
        *sz_arg = $inputs;
    }
    if (sz_res) {
        *sz_res = 1;
    }
    if (sz_iw) {
        *sz_iw = 0;
    }
    if (sz_w) {
        *sz_w = $work;
    }
    return 0;
}
""")
_VALUE = """(void)w;
    if (res[0]) {
        %s_inverse_dynamics(jet, res[0]);
    }"""
_JACOBIAN = Template("""if (res[0]) {
        ${prefix}_effort_partials(jet, w);
        for (int d = 0; d < $orders; d++) {
            for (int r = 0; r < $rows; r++) {
                for (int i = 0; i < $n; i++) {
                    for (int j = 0; j < $n; j++) {
                        res[0][(r * $n + j) * $height + d * $n + i] =
                            w[((d * $rows + r) * $n + i) * $n + j];
                    }
                }
            }
        }
    }""")


def casadi_functions(prefix: str, n: int, order: int) -> str:
    """Return the functions `<prefix>_efforts` and `jac_<prefix>_efforts` of a robot."""
    sizes = {'prefix': prefix, 'n': n, 'rows': order + 3, 'orders': order + 1}
    height, width = n * (order + 1), n * (order + 3)
    value = _FUNCTION.substitute(
        sizes, name=f'{prefix}_efforts', body=_VALUE % prefix, inputs=1, out='efforts', height=n,
        width=order + 1, work=0,
    )  # fmt: skip
    jacobian = _FUNCTION.substitute(
        sizes, name=f'jac_{prefix}_efforts', inputs=2, out='jac_efforts_joint_jet', height=height,
        width=width, work=height * width, body=_JACOBIAN.substitute(sizes, height=height),
    )  # fmt: skip
    head = f"""
/* External functions of CasADi: matrices by columns */
#ifndef casadi_int
#define casadi_int long long int
#endif

static const double {prefix}_no_motion[{width}] = {{0}};
"""
    declared = re.findall(r'^(\w.*\))$', value + jacobian, re.MULTILINE)
    return '\n'.join([head, *(f'{line};' for line in declared), value + jacobian])
