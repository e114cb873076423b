"""Pictures from plain numbers: numpy in, a figure or an image out; no torch, no Streamlit."""
