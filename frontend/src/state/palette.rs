//! The palette: one field that finds lessons, stories, runs, terms, commands, keys, views and settings.
//!
//! Lessons, stories, runs and terms come from the table of contents; commands and keys are the engine's completions of
//! the typed text.

use std::rc::Rc;

use watchglass_engine::session::protocol::{Done, Read, Request};

use super::contents;
use super::flow::{Purpose, State};
use super::texts;

/// The maximum number of keys in the palette's list.
const KEYS_MOST: usize = 8;

/// Fetches the table of contents, if it is not loaded.
pub fn fetch(state: &mut State) {
    if state.ui.palette.contents.is_none() {
        state.ui_mut().palette.has_failed = false;
        texts::fetch(state, contents::NAME.to_owned());
    }
}

pub fn fetched(state: &mut State, text: Result<String, String>) {
    if text.is_err() {
        state.flow.texts.retain(|known| known != contents::NAME);
    }
    let palette = &mut state.ui_mut().palette;
    palette.has_failed = text.is_err();
    palette.contents = text.ok().map(|text| Rc::new(contents::read(&text)));
}

/// Requests the commands and keys that begin with the given text.
pub fn find(state: &mut State, text: &str) {
    let palette = &mut state.ui_mut().palette;
    text.trim_start().clone_into(&mut palette.typed);
    palette.commands.clear();
    palette.keys.clear();
    // Other characters would have a meaning in the shell.
    let is_plain = |c: char| !c.is_control() && !"'\"\\`$;#|&<>(){}*?".contains(c);
    let typed = state.ui.palette.typed.clone();
    if typed.is_empty() || !typed.chars().all(is_plain) {
        return;
    }
    let has_space = typed.contains(' ');
    let lines = [(typed.clone(), false), (format!("get {typed}"), true)];
    for (line, is_key) in lines
        .into_iter()
        .filter(|(_, is_key)| !(*is_key && has_space))
    {
        let purpose = Purpose::Find {
            typed: typed.clone(),
            is_key,
        };
        let cursor = line.len() as u32;
        state.request(purpose, Request::Read(Read::Complete { line, cursor }));
    }
}

/// Handles completions of the typed text. Ignores the completions of an earlier text.
pub fn found(state: &mut State, typed: &str, is_key: bool, done: Done) {
    let Done::Completions { start, items } = done else {
        return;
    };
    let palette = &mut state.ui_mut().palette;
    if palette.typed != typed {
        return;
    }
    if is_key {
        let keys = items.into_iter().map(|(key, _)| key);
        let is_key = |key: &String| !key.starts_with(['-', '\'', '"']);
        palette.keys = keys.filter(is_key).take(KEYS_MOST).collect();
    } else {
        let before = typed.get(..start as usize).unwrap_or_default();
        let command = |(text, about)| (format!("{before}{text}"), about);
        palette.commands = items.into_iter().map(command).collect();
    }
}
