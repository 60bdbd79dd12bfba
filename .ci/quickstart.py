# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Follow docs/quickstart.md in an empty folder, with the installed package of this interpreter.

The environment holds nothing else: `python -m venv env`, `env/bin/pip install
'screw_dynamics[cli,view] @ file:///path/of/a/wheel'`, then `env/bin/python .ci/quickstart.py`.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / 'docs' / 'quickstart.md'


def blocks(heading: str, language: str) -> str:
    """Return the code of a language below a heading."""
    section = PAGE.read_text(encoding='utf-8').split(f'\n## {heading}\n')[1].split('\n## ')[0]
    return '\n'.join(re.findall(rf'```{language}\n(.*?)```', section, re.DOTALL))


def main() -> None:
    """Run what the page prints; `view` writes its page in place of serving it."""
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ['PATH']])
    environment = {**os.environ, 'PATH': programs, 'MPLBACKEND': 'agg'}
    look = re.sub(
        '^(screw_dynamics view .*)$', r'\1 --html view.html', blocks('Look', 'bash'), flags=re.M
    )
    compiled = "import screw_dynamics as sd; assert sd.kernel_form() == 'c', sd.kernel_form()\n"
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, 'compute.py').write_text(
            compiled + blocks('Compute', 'python'), encoding='utf-8'
        )
        script = f'set -ex\n{look}\npython ../compute.py\nls -l torques.png view.html\n'
        subprocess.run(['bash', '-c', script], cwd=folder, env=environment, check=True)


if __name__ == '__main__':
    main()
