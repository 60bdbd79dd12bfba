# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The public function around the compiled recursion: arguments, batches, errors, fallbacks."""

from __future__ import annotations

import re

import numpy as np
import pytest
from oracles.random_models import BodyRecipe, random_joint_jet, random_model, random_wrench_jets

import screw_dynamics as sd
from screw_dynamics.errors import InputError, NotFiniteError, ShapeError, UnknownNameError

RECIPES = [
    BodyRecipe(),
    BodyRecipe(joint_type='prismatic'),
    BodyRecipe(joint_type='helical', parent_back=2),
    BodyRecipe(mimics=0),
    BodyRecipe(parent_back=3),
]


@pytest.fixture
def model(rng: np.random.Generator) -> sd.ScrewModel:
    return random_model(rng, RECIPES)


@pytest.mark.parametrize('order', [0, 1, 2, 3, 4, 7])
def test_every_sample_of_a_batch_is_the_single_result(model, rng, order):
    # 11 samples: two whole tiles of the vector kernel and a short one
    jets = np.array([random_joint_jet(rng, model.n, order) for _ in range(11)])
    batch = sd.inverse_dynamics(model, jets)
    for jet, efforts in zip(jets, batch, strict=True):
        single = sd.inverse_dynamics(model, jet)
        # sums in another order: rounding only
        scale = np.abs(batch).max(axis=(0, 2))[:, None]
        assert np.abs(single - efforts).max() <= 1e-13 * scale.max()


def test_threads_change_nothing(model, rng):
    jets = np.array([random_joint_jet(rng, model.n, 2) for _ in range(1030)])
    wrenches = random_wrench_jets(rng, model, 2, samples=1030)
    expected = sd.inverse_dynamics(model, jets, wrenches)
    for threads in (4, np.int64(3)):
        assert (sd.inverse_dynamics(model, jets, wrenches, threads=threads) == expected).all()


def test_out_is_filled_and_returned(model, rng):
    jet = random_joint_jet(rng, model.n, 2)
    out = np.full((3, model.n), np.nan)
    expected = sd.inverse_dynamics(model, jet)
    assert sd.inverse_dynamics(model, jet, out=out) is out
    assert (out == expected).all()


def test_any_array_like_is_taken(model, rng):
    jet = np.round(random_joint_jet(rng, model.n, 1), 3)
    expected = sd.inverse_dynamics(model, jet)
    read_only = jet.copy()
    read_only.flags.writeable = False
    for value in (jet.tolist(), np.asfortranarray(jet), np.repeat(jet, 2, 1)[:, ::2], read_only):
        assert (sd.inverse_dynamics(model, value) == expected).all()
        assert (sd.inverse_dynamics(model, value, out=np.empty((2, model.n))) == expected).all()
    unmasked = sd.inverse_dynamics(model, np.ma.array(jet, mask=False))
    assert type(unmasked) is np.ndarray and (unmasked == expected).all()
    integers = sd.inverse_dynamics(model, np.ones((3, model.n), dtype=int))
    assert (integers == sd.inverse_dynamics(model, np.ones((3, model.n)))).all()


def test_one_wrench_serves_a_whole_batch(model, rng):
    jets = np.array([random_joint_jet(rng, model.n, 1) for _ in range(6)])
    wrench = rng.normal(size=(2, 6))
    spread = np.broadcast_to(wrench, (6, 2, 6))
    one = sd.inverse_dynamics(model, jets, {'tool_3': wrench})
    assert (one == sd.inverse_dynamics(model, jets, {'tool_3': spread})).all()


def test_a_wrench_on_the_base_moves_no_joint(model, rng):
    jet = random_joint_jet(rng, model.n, 1)
    loaded = sd.inverse_dynamics(model, jet, {'base': rng.normal(size=(2, 6))})
    assert np.abs(loaded - sd.inverse_dynamics(model, jet)).max() <= 1e-12 * np.abs(loaded).max()


@pytest.mark.parametrize('turns', [10, 10**4, 10**6, 10**9])
def test_whole_turns_of_a_revolute_joint_change_nothing(rng, turns):
    model = random_model(rng, 3)
    jets = np.array([random_joint_jet(rng, 3, 2) for _ in range(5)])
    turned = jets.copy()
    turned[:, 0] += 2.0 * np.pi * turns
    # what the addition itself rounds away
    bound = 1e-13 + 4.0 * np.spacing(2.0 * np.pi * turns)
    expected = sd.inverse_dynamics(model, jets)
    scale = np.abs(expected).max(axis=(0, 2))[:, None]
    assert (np.abs(sd.inverse_dynamics(model, turned) - expected) / scale).max() <= 20 * bound


@pytest.mark.parametrize('size', [1e3, 1e5, 1e8])
def test_large_angles_lose_no_digits(rng, size):
    # nothing is added to an angle: a wheel may spin for years
    model = random_model(rng, 7)
    jets = np.array([random_joint_jet(rng, model.n, 2) for _ in range(5)])
    jets[:, 0] *= size
    expected = sd.recursive_body_fixed(model, jets)
    scale = np.abs(expected).max(axis=(0, 2))[:, None]
    assert (np.abs(sd.inverse_dynamics(model, jets) - expected) / scale).max() <= 1e-13
    single = sd.inverse_dynamics(model, jets[0])
    assert (np.abs(single - expected[0]) / scale).max() <= 1e-13


def test_no_joints_and_no_samples():
    nothing = sd.ScrewModel.from_screws([], [], [], [])
    assert sd.inverse_dynamics(nothing, np.zeros((4, 0))).shape == (2, 0)
    assert sd.inverse_dynamics(nothing, np.zeros((5, 4, 0))).shape == (5, 2, 0)
    model = random_model(np.random.default_rng(1), 2)
    assert sd.inverse_dynamics(model, np.zeros((0, 3, 2))).shape == (0, 1, 2)


def test_shape_errors_say_what_is_expected(model, rng):
    n = model.n
    with pytest.raises(
        ShapeError, match=rf'joint_jet: expected shape \(k \+ 3, {n}\).*\(2, {n}\)'
    ):
        sd.inverse_dynamics(model, np.zeros((2, n)))
    for shape in ((3, n + 1), (n,), (2, 2, 3, n + 1), ()):
        with pytest.raises(ShapeError, match='joint_jet'):
            sd.inverse_dynamics(model, np.zeros(shape))
    with pytest.raises(ShapeError, match=rf'out: expected shape \(2, {n}\)'):
        sd.inverse_dynamics(model, np.zeros((4, n)), out=np.empty((3, n)))
    with pytest.raises(ShapeError, match=r"wrench_jets\['tool_1'\]: expected shape \(2, 6\)"):
        sd.inverse_dynamics(model, np.zeros((4, n)), {'tool_1': np.zeros(6)})
    with pytest.raises(ShapeError, match=r'\(2, 6\) or \(5, 2, 6\)'):
        sd.inverse_dynamics(model, np.zeros((5, 4, n)), {'tool_1': np.zeros((4, 2, 6))})


def test_unusable_arguments_are_named(model):
    n = model.n
    jet = np.zeros((3, n))
    for bad in (np.empty((1, n), dtype=np.float32), np.asfortranarray(np.empty((2, n)))):
        with pytest.raises(InputError, match='out: expected'):
            sd.inverse_dynamics(model, np.zeros((len(bad) + 2, n)), out=bad)
    locked = np.empty((1, n))
    locked.flags.writeable = False
    with pytest.raises(InputError, match='writable'):
        sd.inverse_dynamics(model, jet, out=locked)
    with pytest.raises(InputError, match='out: expected a float64 array, got list'):
        sd.inverse_dynamics(model, jet, out=[0.0] * n)
    with pytest.raises(InputError, match='wrench_jets: expected a mapping .*, got list'):
        sd.inverse_dynamics(model, jet, [np.zeros((1, 6))])
    # before and after the kernel of this shape is at hand
    for threads in (0, 'two', 1.5, True, 1.0, np.array([1, 1])):
        message = re.escape(f'threads: expected a positive integer, got {threads!r}')
        with pytest.raises(InputError, match=message):
            sd.inverse_dynamics(model, jet, threads=threads)
        sd.inverse_dynamics(model, jet)
    with pytest.raises(InputError, match='model: expected a ScrewModel, got str'):
        sd.inverse_dynamics('robot.urdf', jet)
    with pytest.raises(InputError, match='joint_jet: expected real numbers'):
        sd.inverse_dynamics(model, jet * 1j)
    with pytest.raises(UnknownNameError, match="unknown frame 'flange'.*tool_5"):
        sd.inverse_dynamics(model, jet, {'flange': np.zeros((1, 6))})


def test_what_is_no_array_is_named_in_the_first_and_in_later_calls(model):
    jet, out = np.zeros((3, model.n)), np.empty((1, model.n))
    masked = np.ma.masked_array(jet, mask=jet == 0.0)
    for _ in range(2):
        with pytest.raises(ShapeError, match=r'joint_jet: expected shape .*, got \(0,\)'):
            sd.inverse_dynamics(model, [], out=out)
        with pytest.raises(InputError, match='joint_jet: expected real numbers, got dtype object'):
            sd.inverse_dynamics(model, set(), out=out)
        with pytest.raises(
            InputError, match='joint_jet: expected a number in every entry, got ma'
        ):
            sd.inverse_dynamics(model, masked, out=out)
        with pytest.raises(InputError, match='wrench_jets.*: expected a number in every entry'):
            sd.inverse_dynamics(model, jet, {'tool_1': np.ma.masked_all((1, 6))})
        expected = sd.inverse_dynamics(model, jet, out=out).copy()
    # nothing is masked: an array like others
    np.testing.assert_array_equal(sd.inverse_dynamics(model, np.ma.masked_array(jet)), expected)


def test_a_batch_needs_memory_of_its_own_for_the_results(model, rng):
    n = model.n
    jets = np.array([random_joint_jet(rng, n, 2) for _ in range(9)])
    expected = sd.inverse_dynamics(model, jets)
    memory = jets.copy().reshape(-1)
    shared = memory.reshape(jets.shape)
    for out in (memory[: 27 * n], memory[-27 * n :]):
        with pytest.raises(InputError, match='out: expected memory of its own, got memory of joi'):
            sd.inverse_dynamics(model, shared, out=out.reshape(9, 3, n))
    # beside each other in one block, and interleaved with what is copied first
    block = np.concatenate([jets.reshape(-1), np.empty(27 * n)])
    out = block[-27 * n :].reshape(9, 3, n)
    sd.inverse_dynamics(model, block[: 45 * n].reshape(jets.shape), out=out)
    np.testing.assert_array_equal(out, expected)
    backwards = memory.reshape(jets.shape)[::-1]
    out = memory[: 27 * n].reshape(9, 3, n)
    np.testing.assert_array_equal(sd.inverse_dynamics(model, backwards, out=out), expected[::-1])


@pytest.mark.parametrize('value', [np.nan, np.inf, -np.inf])
def test_the_joint_that_is_not_finite_is_named(model, value):
    jet = np.zeros((5, model.n))
    jet[3, 2] = value
    for out in (None, np.empty((3, model.n))):
        with pytest.raises(NotFiniteError, match=r"joint_jet\[3, 2\] \(joint 'joint_3', deriv"):
            sd.inverse_dynamics(model, jet, out=out)
    jets = np.zeros((9, 5, model.n))
    jets[8] = jet
    with pytest.raises(NotFiniteError, match=r'joint_jet\[8, 3, 2\]'):
        sd.inverse_dynamics(model, jets)
    with pytest.raises(NotFiniteError, match=r"wrench_jets\['tool_1'\]\[0, 4\]"):
        wrench = np.zeros((1, 6))
        wrench[0, 4] = value
        sd.inverse_dynamics(model, np.zeros((3, model.n)), {'tool_1': wrench})


def test_an_overflow_is_an_error_not_a_nan(model):
    jet = np.full((4, model.n), 1e200)
    for value in (jet, np.repeat(jet[None], 5, axis=0)):
        with pytest.raises(NotFiniteError, match='result'):
            sd.inverse_dynamics(model, value)
