# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Generated C on emulated microcontrollers."""

import shutil
import subprocess

import pytest
from c_compiler import STRICT, write

import screw_dynamics as sd
from screw_dynamics.codegen.robot import QUANTITIES

COMPILER, EMULATOR = shutil.which('arm-none-eabi-gcc'), shutil.which('qemu-system-arm')
pytestmark = [
    pytest.mark.processes,
    pytest.mark.long,
    pytest.mark.skipif(
        not (COMPILER and EMULATOR),
        reason='needs arm-none-eabi-gcc with newlib, and qemu-system-arm',
    ),
]
# the reset vector of a Cortex-M: the floating point unit on (CPACR), then newlib's start, which
# asks the emulator by semihosting for stack, heap, output and the end
START = """
extern void _start(void);
static void reset(void)
{
    *(volatile unsigned *)0xE000ED88u |= 0xFu << 20;
    __asm volatile("dsb\\n isb");
    _start();
}
__attribute__((section(".vectors"), used))
static void (*const vectors[])(void) = {(void (*)(void))0x20400000u, reset};
"""
BOARDS = {  # with the floating point unit of this type alone
    'double': ('mps2-an500', 'cortex-m7', 'fpv5-d16'),
    'float': ('mps2-an386', 'cortex-m4', 'fpv4-sp-d16'),
}


@pytest.mark.parametrize('real', BOARDS)
def test_self_test_agrees_and_finds_errors(real, tmp_path):
    model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    drive = sd.JointDrive(
        sd.CubicSpring(2000.0, 5e4),
        sd.Motor(2e-3, 10.0, 1e-2, 2e-2, 1.0),
        friction=sd.JointFriction(0.4, 1.0, 0.5),
    )
    robot = sd.Robot(model, sd.Drives(dict.fromkeys(model.joint_names, drive)))
    frame = [*model.frames][-1]
    code = sd.generate_c(robot, 'arm', quantities=QUANTITIES, frames=[frame], real=real)
    ended = run(code, tmp_path, *BOARDS[real])
    assert ended.returncode == 0 and 'arm_motor_commands' in ended.stdout
    heavier = model.with_payload(frame, 0.1)
    wrong = sd.generate_c(robot.with_model(heavier), 'arm', quantities=QUANTITIES, frames=[frame],
                          real=real)  # fmt: skip
    ended = run(code._replace(source=wrong.source), tmp_path, *BOARDS[real])
    assert ended.returncode == 1 and 'WRONG' in ended.stdout


def run(code, folder, board, processor, unit):
    write(code, folder)
    (folder / 'start.c').write_text(START, encoding='ascii')
    target = ['-mthumb', f'-mcpu={processor}', f'-mfpu={unit}', '-mfloat-abi=hard']
    generated = [COMPILER, *STRICT, '-O2', *target, '-c', 'arm.c', 'arm_self_test.c']
    subprocess.run(generated, check=True, cwd=folder)
    build = [COMPILER, '-O2', *target, '--specs=rdimon.specs', '-Wl,--section-start=.vectors=0']
    files = ['-o', 'test.elf', 'start.c', 'arm.o', 'arm_self_test.o', '-lm']
    subprocess.run([*build, *files], check=True, cwd=folder)
    emulate = [EMULATOR, '-M', board, '-nographic', '-monitor', 'none', '-serial', 'none']
    return subprocess.run(
        [*emulate, '-semihosting', '-kernel', 'test.elf'],
        check=False, cwd=folder, capture_output=True, text=True,
    )  # fmt: skip
