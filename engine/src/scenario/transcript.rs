//! What somebody copied out of a terminal: commands after a `$ `, with or without their outputs;
//! or simply one command a line.

use super::format::{Block, Expected, FormatError, Scenario, check_text};

/// Prompts that `etcdctl txn -i` prints between the lines that are typed.
const TXN_PROMPTS: [&str; 3] = [
    "compares:",
    "success requests (get, put, del):",
    "failure requests (get, put, del):",
];

pub use super::format::TEXT_BYTES_MAX;

/// Reads a transcript.
///
/// ```
/// use watchglass_engine::scenario::{Expected, transcript};
/// let s = transcript::parse("$ etcdctl put a 1\nOK\n$ etcdctl get a\na\n1\n").unwrap();
/// assert_eq!(s.blocks.len(), 2);
/// assert_eq!(s.blocks[1].expected, Expected::Output("a\n1".into()));
/// ```
pub fn parse(text: &str) -> Result<Scenario, FormatError> {
    check_text(text)?;
    let prompted = text.lines().any(|line| prompt(line).is_some());
    let scenario = if prompted {
        with_prompts(text)
    } else {
        one_command_a_line(text)
    };
    if scenario.blocks.is_empty() {
        let message =
            "no command found; write one a line, such as `etcdctl put a 1`, with or without a \
             `$ ` in front"
                .into();
        return Err(FormatError { line: 1, message });
    }
    Ok(scenario)
}

/// What stands behind a shell's prompt.
fn prompt(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("$ ")
        .or_else(|| (line == "$").then_some(""))
}

fn with_prompts(text: &str) -> Scenario {
    let mut scenario = Scenario::default();
    let mut remark: Vec<&str> = Vec::new();
    let mut open: Option<(Block, Vec<&str>)> = None;
    for (line, number) in text.lines().zip(1u32..) {
        if let Some(command) = prompt(line) {
            close(&mut scenario, open.take());
            if !command.trim().is_empty() {
                let block = Block {
                    line: number,
                    remark: remark.join("\n"),
                    input: command.into(),
                    expected: Expected::Unsaid,
                };
                open = Some((block, Vec::new()));
            }
            remark.clear();
        } else if let Some((_, output)) = &mut open
            && !line.starts_with("# ")
        {
            output.push(line);
        } else if let Some(comment) = line.strip_prefix("# ") {
            close(&mut scenario, open.take());
            remark.push(comment);
        } else if !line.trim().is_empty() {
            scenario.skipped += 1;
        }
    }
    close(&mut scenario, open);
    scenario
}

fn close(scenario: &mut Scenario, open: Option<(Block, Vec<&str>)>) {
    let Some((mut block, mut lines)) = open else {
        return;
    };
    if is_txn(&block.input) {
        take_txn_input(&mut block, &mut lines);
    }
    while lines.last().is_some_and(|l| l.trim().is_empty()) {
        lines.pop();
    }
    if !lines.is_empty() {
        block.expected = Expected::Output(lines.join("\n"));
    }
    scenario.blocks.push(block);
}

fn is_txn(command: &str) -> bool {
    command
        .split_whitespace()
        .find(|w| *w != "etcdctl" && *w != "e")
        == Some("txn")
}

/// Moves a transaction's three blocks from the lines below it into its input; the prompts that
/// `-i` prints among them are not typed by anybody.
fn take_txn_input(block: &mut Block, lines: &mut Vec<&str>) {
    let mut blocks = 0;
    let mut taken = 0;
    for line in lines.iter() {
        if blocks == 3 {
            break;
        }
        taken += 1;
        if TXN_PROMPTS.contains(line) {
            continue;
        }
        blocks += u32::from(line.is_empty());
        block.input.push('\n');
        block.input.push_str(line);
    }
    lines.drain(..taken);
}

fn one_command_a_line(text: &str) -> Scenario {
    let mut scenario = Scenario::default();
    let mut remark: Vec<&str> = Vec::new();
    let mut txn_blocks_left = 0;
    for (line, number) in text.lines().zip(1u32..) {
        if txn_blocks_left > 0 {
            let block = scenario.blocks.last_mut().expect("a txn was begun");
            block.input.push('\n');
            block.input.push_str(line);
            txn_blocks_left -= u32::from(line.is_empty());
        } else if let Some(comment) = line.strip_prefix('#') {
            remark.push(comment.trim());
        } else if line.trim().is_empty() {
            remark.clear();
        } else {
            scenario.blocks.push(Block {
                line: number,
                remark: remark.join("\n"),
                input: line.into(),
                expected: Expected::Unsaid,
            });
            remark.clear();
            txn_blocks_left = if is_txn(line) { 3 } else { 0 };
        }
    }
    scenario
}

/// Whether an output is what a transcript says, give or take what nobody means to compare:
/// white space at line ends, and the white space of JSON that was printed for people.
pub fn same_output(expected: &str, actual: &str) -> bool {
    let (expected, actual) = (expected.trim(), actual.trim());
    if expected.starts_with('{') && actual.starts_with('{') {
        return without_space(expected) == without_space(actual);
    }
    let lines =
        |text: &str| -> Vec<String> { text.lines().map(|l| l.trim_end().to_owned()).collect() };
    lines(expected) == lines(actual)
}

fn without_space(json: &str) -> String {
    json.chars().filter(|c| !c.is_whitespace()).collect()
}
