//! The texts of the widgets.
