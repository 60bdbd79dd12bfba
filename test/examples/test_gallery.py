# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The gallery: every script draws its figure."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

image = pytest.importorskip('matplotlib.image', reason='figures need matplotlib')

from gallery.__main__ import SCRIPTS, draw, main  # noqa: E402

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


def test_every_published_figure_has_a_script() -> None:
    assert {path.stem for path in PUBLISHED.glob('*.png')} == set(SCRIPTS)


def test_figures_are_chosen_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['slow_down', '--output', str(tmp_path / 'new')]) == 0
    assert [path.name for path in (tmp_path / 'new').iterdir()] == ['slow_down.png']
    with pytest.raises(SystemExit):
        main(['slow_up'])
    assert 'slow_up' in capsys.readouterr().err
