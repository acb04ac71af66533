//! A guess: a question about the result of a beat, which the reader can answer before the beat. Header lines above the
//! beat's comment state the question and its options, of which one is the answer:
//!
//! ```text
//! #! guess: How many of the five pods does the list contain?
//! #! option: 5
//! #! answer: 3
//! ```

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guess {
    pub question: String,
    /// The options, including the answer, in the order of the file.
    pub options: Vec<String>,
    /// The index of the answer in the options.
    pub answer: usize,
}

impl Guess {
    /// Reads a header line, if it belongs to a guess.
    pub(super) fn read(guess: &mut Option<Self>, key: &str, value: &str) {
        match (key, guess) {
            ("guess", guess) => {
                *guess = Some(Self {
                    question: value.to_owned(),
                    ..Self::default()
                });
            }
            ("option", Some(guess)) => guess.options.push(value.to_owned()),
            ("answer", Some(guess)) => {
                guess.answer = guess.options.len();
                guess.options.push(value.to_owned());
            }
            _ => {}
        }
    }
}
