# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The gallery: every script draws its figure."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = [pytest.mark.first, pytest.mark.long, pytest.mark.processes]

image = pytest.importorskip('matplotlib.image', reason='figures need matplotlib')

import matplotlib  # noqa: E402
from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: E402

from gallery.__main__ import SCRIPTS, draw, main  # noqa: E402
from screw_dynamics.common.figures import STYLE  # noqa: E402

PUBLISHED = Path(__file__).resolve().parents[2] / 'docs' / 'gallery'


@pytest.mark.parametrize('name', SCRIPTS)
def test_a_figure_is_drawn(tmp_path: Path, name: str) -> None:
    drawn, published = (
        image.imread(path) for path in (draw(name, tmp_path), PUBLISHED / f'{name}.png')
    )
    # fonts differ between machines, what is drawn does not
    height, width = np.subtract(drawn.shape[:2], published.shape[:2])
    assert abs(height) <= 2 and abs(width) <= 2
    dark = [(picture[..., :3].min(axis=2) < 0.8).mean() for picture in (drawn, published)]
    assert dark[0] > 0.01 and dark[0] == pytest.approx(dark[1], rel=0.2)


def drawn_figure(name: str) -> Any:
    with matplotlib.rc_context(STYLE):
        figure = import_module(f'gallery.{name}').figure()
        FigureCanvasAgg(figure).draw()
    return figure


def test_the_four_twists_differ() -> None:
    texts = [text.get_text() for text in drawn_figure('twist_representations').texts]
    assert len({text for text in texts if text.startswith('V = ')}) == 4


@pytest.mark.parametrize('name', ['soft_circles', 'soft_phases'])
def test_tick_labels_in_space_do_not_overlap(name: str) -> None:
    (space,) = (axis for axis in drawn_figure(name).axes if hasattr(axis, 'zaxis'))
    boxes = []
    for axis in (space.xaxis, space.yaxis, space.zaxis):
        low, high = sorted(axis.get_view_interval())
        ticks = [tick for tick in axis.majorTicks if low <= tick.get_loc() <= high]
        assert len(ticks) >= 2
        boxes += [text.get_window_extent() for text in (*(t.label1 for t in ticks), axis.label)]
    for i, box in enumerate(boxes):
        assert box.x0 >= 0.0 and box.x1 <= space.figure.bbox.width
        assert not any(box.overlaps(other) for other in boxes[:i])


def test_every_published_figure_has_a_script() -> None:
    assert {path.stem for path in PUBLISHED.glob('*.png')} == set(SCRIPTS)


def test_figures_are_chosen_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['system_matrices', '--output', str(tmp_path / 'new')]) == 0
    assert [path.name for path in (tmp_path / 'new').iterdir()] == ['system_matrices.png']
    with pytest.raises(SystemExit):
        main(['slow_up'])
    assert 'slow_up' in capsys.readouterr().err
