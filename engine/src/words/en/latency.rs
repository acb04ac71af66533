//! The texts of the latency lab: the reasons why a setting has no closed form.

/// The reasons why a setting has no closed form.
pub const NEEDS_INDEPENDENT_LISTS: &str =
    "The closed forms require lists that arrive independently of each other.";
pub const NEEDS_CONSTANT_DELAY: &str = "The closed forms require links with a constant delay.";
pub const NO_CLOSED_FORM: &str = "There is no closed form for this scheme.";
pub const ONLY_PLAIN_TIMER: &str =
    "If the writes to other resources pause, only the scheme with a plain timer has a closed form.";
pub const NEEDS_SHORT_ROUND_TRIP: &str = "The closed form requires a round trip that is not longer than the time \
    between two progress requests.";
