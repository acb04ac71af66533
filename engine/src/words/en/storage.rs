//! The texts of the Storage view: the details of a page and of its elements.

/// The names of the kinds of pages.
pub const META: &str = "meta";
pub const FREE_LIST: &str = "free list";
pub const BRANCH: &str = "branch";
pub const LEAF: &str = "leaf";

/// The names of the fields of a meta page.
pub const TRANSACTION: &str = "transaction";
pub const ROOT_PAGE: &str = "root page";
pub const PAGES: &str = "pages";
pub const PAGE_SIZE: &str = "page size";

/// The text that replaces the page number of a free list if the free list is not stored.
pub const NOT_STORED: &str = "not stored";

pub fn page(id: u64) -> String {
    format!("page {id}")
}

/// Returns the name that the view shows for an element that contains a bucket.
pub fn bucket(name: &str) -> String {
    format!("bucket {name}")
}

/// Returns the text in place of the value of an element that contains an inline bucket, which is a bucket with few
/// rows.
pub fn inline(rows: u64) -> String {
    match rows {
        1 => "inline, 1 row".to_owned(),
        rows => format!("inline, {rows} rows"),
    }
}

/// Returns the text that replaces the value of a row that deletes a key.
pub fn deleted(key: &str) -> String {
    format!("{key} deleted")
}
