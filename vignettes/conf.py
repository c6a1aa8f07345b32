"""How the site is built: ``python -m sphinx -W --keep-going -j 2 vignettes build/site``."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

from vtreat_py import __version__

# Kernels of vignettes get these: sharp pictures of one style, no threads that only wait, and no
# word on how the kernel is reached.
os.environ["MATPLOTLIBRC"] = str(HERE / "_ext" / "matplotlibrc")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["IPYTHONDIR"] = str(HERE.parent / "build" / "ipython")
profile = Path(os.environ["IPYTHONDIR"], "profile_default")
profile.mkdir(parents=True, exist_ok=True)
(profile / "ipython_kernel_config.py").write_text("c.IPKernelApp.log_level = 40\n")

project = "vtreat_py"
author = "The vtreat_py developers"
copyright = author  # noqa: A001 (Sphinx's name)
release = version = __version__

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "api_pages",
    "gallery",
    "public_names",
    "repository_files",
]
source_suffix = {".rst": "restructuredtext", ".md": "myst-nb", ".py": "myst-nb"}
exclude_patterns = ["conf.py", "_ext", "_static", "**/.ipynb_checkpoints"]

# Vignettes are programs with cells. All are run at each build, and none may fail, or write to
# standard error: what is there is a warning that readers would see.
nb_custom_formats = {".py": "gallery.read_program"}
nb_execution_mode = os.environ.get("VTREAT_PY_RUN_VIGNETTES", "force")
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_output_stderr = "remove-warn"
nb_merge_streams = True
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 4

# Names in single backticks are links where they are public (`public_names` has the rest).
default_role = "py:obj"
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(?!(vtreat_py|vt)\.).*")]
autosummary_generate = False
autodoc_typehints = "none"
python_maximum_signature_line_length = 80
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
toc_object_entries_show_parents = "hide"

# Doctests end with an empty line, which is not shown.
highlight_options = {"python": {"stripnl": True}, "ipython3": {"stripnl": True}}

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos, .gp, .go"

html_theme = "pydata_sphinx_theme"
html_title = f"vtreat_py {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "vtreat_py"},
    "navbar_end": ["theme-switcher"],
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_prev_next": True,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "back_to_top_button": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": []}
