//! The texts of the Lab's knobs (settings with sliders): names, explanations with the source of the values, schemes,
//! and buttons.

use watchglass_engine::session::latency::{Arrivals, Scheme};

/// The texts of the form with the sliders: the text of the `<summary>` element that unfolds the form, and the labels of
/// the buttons.
pub const KNOBS: &str = "Parameters";
pub const RUN: &str = "Run";
pub const SWAP: &str = "Swap A, B";
pub const RESET: &str = "Reset";
pub const EXAMPLE: &str = "Example: etcd notifies every 250 ms";
/// The tooltip of the button that sets the example of KEP-2340's draft.
pub const EXAMPLE_TITLE: &str = "An example from KEP-2340's draft: the cache asks for progress after 300 ms of \
    silence, but etcd notifies every 250 ms, so the cache never asks";

/// The label of the choice of a scheme (a way to serve consistent lists).
pub const SCHEME: &str = "How the cache confirms freshness";

/// The sliders that apply to both A and B.
pub const SHARED: &str = "The same for A and B";
pub const LISTS_ARRIVE: &str = "Lists arrive";
pub const SKIP_TICK: &str = "Skip a notification after an event (as etcd does)";
pub const CAN_TIME_OUT: &str = "Waits can time out";

/// The names of the sliders, each with the meaning of the slider and the source of its values.
pub const TICK: &str = "etcd notifies every";
pub const TICK_SOURCE: &str = "etcd's --watch-progress-notify-interval: 10 min by default, 5 s in kubeadm's clusters; \
    KEP-2340's draft assumes 250 ms.";
pub const NEEDED: &str = "cache needs progress every";
pub const NEEDED_SOURCE: &str = "KEP-2340's draft: the cache requests progress if 300 ms pass without a notification. \
    If etcd notifies every 250 ms, each notification cancels the request before the cache sends the request.";
pub const QUIET: &str = "request after a silence of";
pub const QUIET_SOURCE: &str = "KEP-2340's draft: the cache sends a progress request if no notification has arrived \
    for 250 ms.";
pub const PERIOD: &str = "cache requests progress every";
pub const PERIOD_SOURCE: &str = "progressRequestPeriod of the watch cache: 100 ms since Kubernetes 1.28. The cache \
    requests progress only while lists wait.";
pub const MIN_GAP: &str = "at most one request every";
pub const MIN_GAP_SOURCE: &str =
    "KEP-2340's draft: at most one request every 125 ms, no matter how many lists wait.";
pub const BATCH: &str = "time to collect lists";
pub const BATCH_SOURCE: &str = "In KEP-2340's draft, lists that arrive close together share one request for etcd's \
    revision. The draft does not say how long the cache waits for more lists.";
pub const OWN_WRITES: &str = "Writes to the listed resource";
pub const OWN_WRITES_SOURCE: &str = "Each write is an event on the cache's own watch. Like a notification, an \
    event can end a wait.";
pub const OTHER_WRITES: &str = "Writes to other resources";
pub const OTHER_WRITES_SOURCE: &str = "These writes increase etcd's revision but not the revision of the cache; \
    without these writes, the cache is never behind. If the writes never pause, the cache is behind at every list, \
    which is the worst case.";
pub const LISTS: &str = "Consistent lists";
pub const LISTS_SOURCE: &str = "Lists of one resource, sent to one API server. KEP-2340's benchmark sends one list per \
    second.";
pub const ROUND_TRIP: &str = "Round trip to etcd";
pub const ROUND_TRIP_SOURCE: &str =
    "Each direction takes half of this time. About 1 ms in one zone, up to 10 ms between zones.";
pub const JITTER: &str = "Jitter per direction";
pub const JITTER_SOURCE: &str = "Each message takes a random additional time, uniform from 0 to this value (our \
    assumption).";
pub const OBJECTS: &str = "Objects in the list";
pub const OBJECTS_SOURCE: &str = "In the draft of KEP-2340, a small list waits up to 10 ms and a large list up to \
    500 ms. We assume that a small list has at most 100 objects, and a large list at least 10,000. Today, every list \
    waits up to 3 s. A list \
    of all pods on 5,000 nodes with 30 pods each has 150,000 objects.";
pub const LISTS_IN_RUN: &str = "Lists in the run";
pub const LISTS_IN_RUN_SOURCE: &str = "Percentiles of fewer than 100,000 lists are imprecise.";

/// The text of the slider for writes to other resources if the writes follow each other without a pause.
pub const WITHOUT_PAUSE: &str = "without pause";

/// Returns the name of a scheme. A scheme is a way to serve consistent lists.
pub fn scheme(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::TimerOnly => "Timer only",
        Scheme::TimerAndRequests => "Timer and requests",
        Scheme::Draft => "Draft KEP",
        Scheme::Today => "Today",
        Scheme::Echo => "Today, echoed id",
        Scheme::Batch => "Today, in batches",
        Scheme::FromEtcd => "Opted out: etcd",
    }
}

pub fn about_scheme(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::TimerOnly => "Only etcd's own timer sends progress to the cache.",
        Scheme::TimerAndRequests => {
            "An example from the draft: etcd's own timer sends progress notifications, and the \
             cache asks for progress only if no notification arrives within one period. A waiting list does not \
             shorten this period."
        }
        Scheme::Draft => {
            "The cache asks etcd for progress after a long silence, and sooner while a list waits. \
             A large list that waits 500 ms fails; a smaller list that waits too long goes to etcd."
        }
        Scheme::Today => {
            "The cache asks etcd for progress only while a list waits; a list that has waited 3 s goes to etcd."
        }
        Scheme::Echo => {
            "An idea from the draft: etcd sends back the id of each progress request (an echo), so the \
             cache does not ask for the revision first. This saves one of two round trips, but even an \
             up-to-date cache must send a progress request."
        }
        Scheme::Batch => {
            "An idea from the draft: lists that arrive close together share one request for etcd's \
             revision. etcd gets fewer requests, and lists wait longer."
        }
        Scheme::FromEtcd => {
            "Every list goes to etcd, as before KEP-2340, at the full cost of a list from etcd."
        }
    }
}

pub fn arrivals(arrivals: Arrivals) -> &'static str {
    match arrivals {
        Arrivals::Poisson => "at random",
        Arrivals::Regular => "evenly",
        Arrivals::Bursts => "ten at once",
    }
}
