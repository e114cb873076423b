"""The web app: the only place that knows Streamlit and Plotly."""
