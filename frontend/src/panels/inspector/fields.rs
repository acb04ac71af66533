//! The fields of a row's `KeyValue` with their upstream names and an explanation of each.

use watchglass_engine::view::RowView;
use yew::prelude::*;

use crate::panels::terms::breaking_after;
use crate::words::inspector as words;

#[derive(Properties, PartialEq)]
pub struct FieldsProps {
    pub row: RowView,
    /// The oldest readable revision; -1 if the store was never compacted.
    pub compacted: i64,
}

/// Renders the fields, or the reason why there are none.
#[component]
pub fn Fields(props: &FieldsProps) -> Html {
    let row = &props.row;
    if row.gone {
        return html! { <Gone compacted={props.compacted} /> };
    }
    html! {
        <>
            if row.tombstone {
                <p class="insp-note">{ words::TOMBSTONE_ROW }</p>
            }
            <dl class="insp-fields">
                { for row.fields.iter().filter(|(name, _)| !row.tombstone || name == "key").map(|(name, value)| html! {
                    <div key={name.clone()}>
                        <dt>{ name }</dt>
                        <dd>{ breaking_after(value, &['/']) }</dd>
                        if let Some(gloss) = gloss(name) {
                            <dd class="insp-gloss">{ gloss }</dd>
                        }
                    </div>
                }) }
            </dl>
        </>
    }
}

/// The properties of the note about a row that does not exist any more.
#[derive(Properties, PartialEq)]
pub struct GoneProps {
    /// The oldest readable revision.
    pub compacted: i64,
}

/// Renders a note that the row does not exist any more.
#[component]
pub fn Gone(props: &GoneProps) -> Html {
    html! { <p class="insp-gone">{ words::no_row(props.compacted) }</p> }
}

/// Returns the meaning of a field of `KeyValue` in one line.
pub fn gloss(name: &str) -> Option<&'static str> {
    Some(match name {
        "key" => words::FIELD_KEY,
        "create_revision" => words::FIELD_CREATE_REVISION,
        "mod_revision" => words::FIELD_MOD_REVISION,
        "version" => words::FIELD_VERSION,
        "value" => words::FIELD_VALUE,
        "lease" => words::FIELD_LEASE,
        "main" => words::PART_MAIN,
        "separator" => words::PART_SEPARATOR,
        "sub" => words::PART_SUB,
        "tombstone" => words::PART_TOMBSTONE,
        _ => return None,
    })
}
