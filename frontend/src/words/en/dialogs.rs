//! The texts of the dialogs and the palette.
