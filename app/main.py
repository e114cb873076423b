"""The router: which view stands at which path, and nothing else. Run by `streamlit run app/main.py`."""

import sys
from pathlib import Path

sys.path[:0] = [folder for folder in [str(Path(__file__).parents[1])] if folder not in sys.path]

import streamlit as st  # noqa: E402

from app import runs  # noqa: E402
from app.views import VIEWS  # noqa: E402

st.set_page_config(page_title="Glassformer", page_icon="🔍", layout="wide", initial_sidebar_state="collapsed")
runs.boot()
pages = [st.Page(view.show, title=view.title, url_path=view.path, default=not view.path) for view in VIEWS]
st.navigation(pages, position="top").run()
