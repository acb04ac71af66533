//! A fixed view for the tests of the Messages view.

use watchglass_engine::view::MessagesView;
use watchglass_engine::view::messages::{Arrow, Fate, NodeLane, Stretch, WaitBar};
use watchglass_engine::view::narrate::message::ArrowKind;

fn arrow(id: u64, ends: (u32, u32), at: (u32, u32), kind: ArrowKind, label: &str) -> Arrow {
    Arrow {
        id,
        from: ends.0,
        to: ends.1,
        x0: at.0,
        x1: at.1,
        sent_us: u64::from(at.0) * 20,
        arrives_us: u64::from(at.1) * 20,
        kind,
        fate: Fate::Arrived,
        label: label.to_owned(),
        count: 1,
        step: id,
        chain: None,
    }
}

/// Returns a view of a put and its watch event, a burst of messages, and every kind of lost or delayed message.
pub(super) fn traffic() -> MessagesView {
    use ArrowKind::{Answer, Request, WatchAnswer, WatchControl, WatchEvents};
    let lane = |name: &str, role: &str, state: &str| NodeLane {
        name: name.to_owned(),
        role: role.to_owned(),
        state: state.to_owned(),
        clock: String::new(),
    };
    let mut arrows = vec![
        arrow(1, (0, 1), (20, 70), WatchControl, "watch /a from now"),
        arrow(2, (1, 0), (70, 120), WatchAnswer, "created, watch 0"),
        arrow(3, (2, 1), (160, 210), Request, "PUT /a"),
        arrow(4, (1, 2), (210, 260), Answer, "OK at 7"),
        arrow(5, (1, 0), (212, 300), WatchEvents, "PUT /a at 7"),
        arrow(6, (2, 1), (420, 450), Request, "PUT /b"),
        arrow(7, (1, 0), (620, 700), WatchEvents, "PUT /a at 8"),
        arrow(8, (2, 1), (640, 690), Request, "GET /a"),
        arrow(9, (1, 2), (690, 760), Answer, "1 key at 8"),
        arrow(10, (1, 0), (820, 980), WatchEvents, "PUT /a at 9"),
        arrow(11, (2, 1), (860, 960), Request, "PUT /c"),
    ];
    arrows[2].chain = Some(1);
    arrows[4].chain = Some(2);
    arrows[5].count = 27;
    arrows[6].fate = Fate::Lost;
    arrows[7].fate = Fate::Duplicate;
    arrows[9].fate = Fate::Flying;
    arrows[10].fate = Fate::Held;
    let stretch = |x: (u32, u32), folded: bool, ticks: &[(u32, &str)]| Stretch {
        from_us: u64::from(x.0) * 20,
        to_us: u64::from(x.1) * 20,
        x0: x.0,
        x1: x.1,
        folded,
        ticks: ticks
            .iter()
            .map(|(at, said)| (*at, (*said).to_owned()))
            .collect(),
        ..Stretch::default()
    };
    MessagesView {
        covered: 37,
        newer: 0,
        lanes: vec![
            lane("w1", "client", "slow 20 ms"),
            lane("etcd", "member", ""),
            lane("etcdctl", "client", ""),
        ],
        stretches: vec![
            stretch(
                (0, 320),
                false,
                &[(20, "0 ms"), (120, "2 ms"), (220, "4 ms")],
            ),
            stretch((320, 380), true, &[]),
            stretch(
                (380, 1000),
                false,
                &[(420, "87 ms"), (640, "88 ms"), (800, "89 ms")],
            ),
        ],
        arrows,
        bars: vec![WaitBar {
            lane: 0,
            x0: 700,
            x1: 860,
            label: "slow, 20 ms".to_owned(),
        }],
        now: 900,
        now_us: 89_600,
        total: 38,
        selected: None,
    }
}
