//! Applies the theme to the document by setting an attribute. `static/theme.css` defines the colours for each value of
//! this attribute.

use crate::state::choices::Theme;

/// Sets the theme's attribute on the root element. Without the attribute, the system setting decides.
pub fn apply(theme: Theme) {
    if let Some(root) = gloo::utils::document().document_element() {
        match theme {
            Theme::Auto => root.remove_attribute("data-theme").ok(),
            theme => root.set_attribute("data-theme", theme.name()).ok(),
        };
    }
}
