//! The texts of small panels, the stage and the page's state.
