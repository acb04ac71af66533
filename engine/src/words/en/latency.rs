//! The texts of the latency lab: the reasons why a setting has no closed form.

/// The reasons why a setting has no closed form. The page calls the closed forms "theory".
pub const NEEDS_INDEPENDENT_LISTS: &str =
    "The theory applies only to lists that arrive independently of each other.";
pub const NEEDS_CONSTANT_DELAY: &str = "The theory applies only to links with a constant delay.";
pub const NO_CLOSED_FORM: &str = "There is no theory for this scheme.";
pub const ONLY_PLAIN_TIMER: &str = "If there are pauses between the writes to other resources, the theory applies only \
    to the scheme with a plain timer.";
pub const NEEDS_SHORT_ROUND_TRIP: &str = "The theory applies only if a round trip is not longer than the time between \
    two progress requests.";
