"""Pictures that follow a finger.

Python sends the real numbers once, as typed arrays (`wire`); plain JavaScript redraws on every input event and tells
Python what was chosen when the finger rests (`mount`). Each component is a folder: markup, style, script, and one
public function. Shared scripts lie in `shared/` and are put in front of a component's own (`bundle`).
"""
