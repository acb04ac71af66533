//! The text of a failure: the reason, the advice, and the details for a report.

use yew::prelude::*;

use super::terms::with_code;
use crate::address::link;
use crate::host::Failure;
use crate::state::trail::TrailReport;
use crate::words::notices as words;

#[derive(Clone, PartialEq, Properties)]
pub struct FailureTextProps {
    pub failure: Failure,
    pub report: TrailReport,
}

/// Renders the failure's sentence, its advice and its details.
#[component]
pub fn FailureText(props: &FailureTextProps) -> Html {
    let FailureTextProps { failure, report } = props;
    // If the engine never ran, there is no earlier run to open: only the run that this page requested.
    let has_run = !report.address.is_empty() && !failure.is_at_start();
    let address = has_run.then(|| link::to_app(&report.address));
    html! {
        <div class="wg-failure">
            <p><b>{ with_code(failure.sentence(), |text| html! { <>{ text }</> }) }</b>{ " " }{ failure.advice() }</p>
            if !failure.details.is_empty() {
                <details>
                    <summary>{ words::DETAILS }</summary>
                    <pre tabindex="0" role="group" aria-label={words::REPORT}>
                        { text(failure, report, address.as_deref()) }
                    </pre>
                    if let Some(address) = address {
                        <a href={address} target="_blank" rel="noopener">{ words::OPEN_BEFORE }</a>
                    }
                </details>
            }
        </div>
    }
}

/// Returns the details as one text, to be copied into a report.
fn text(failure: &Failure, report: &TrailReport, address: Option<&str>) -> String {
    let version = env!("CARGO_PKG_VERSION");
    words::report(version, &failure.details, address, &report.lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::FailureKind;

    #[test]
    fn the_details_have_everything_that_reproduces_it() {
        let failure = Failure::new(FailureKind::Stopped, "panicked at kubectl.rs:114");
        let report = TrailReport {
            address: "#v1.x".to_owned(),
            lines: vec!["kubectl get -é".to_owned()],
        };
        let text = text(&failure, &report, Some("https://a.b/#v1.x"));
        let version = format!("Watchglass {}\n", env!("CARGO_PKG_VERSION"));
        assert_eq!(
            text,
            version
                + "panicked at kubectl.rs:114\nRun: https://a.b/#v1.x\nTyped since: kubectl get -é"
        );
    }
}
