"""What went wrong, in one sentence for the person who can mend it: what was found, what is supported, what to do."""


class GlassformerError(Exception):
    """Any error that a user can act on. Its text is one plain sentence, fit to be shown as it is."""


class ConfigError(GlassformerError):
    """A configuration that cannot be computed, or one that we do not understand."""


class CheckpointError(GlassformerError):
    """A model folder that cannot be opened: a file, a tensor or a setting is missing, wrong or unsupported."""


class TextError(GlassformerError):
    """A text, or token ids, that a model cannot read: empty, too long, or not in its vocabulary."""


class SiteError(GlassformerError):
    """A name that no tensor of this pass has, or an edit that found nothing to change."""


class SamplingError(GlassformerError):
    """Sampling settings outside their range, or logits that are not numbers."""
