//! Lines in, answers out: in order, on all cores, in constant memory.
//!
//! A reader thread cuts the input into chunks of whole lines and starts a task on the thread pool for each; the calling
//! thread waits for the chunks' answers in the order of the input and writes them. The queue between the two is
//! bounded, so that a slow consumer of the answers holds up the reader instead of filling the memory.
//!
//! A chunk holds whatever one read of the input yields. From a file that is about [`CHUNK_BYTES`]; from a program that
//! writes a line and waits for the answer it is that line.

use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};

/// Most bytes of whole lines in a chunk: some hundred queries, a millisecond or two of work.
const CHUNK_BYTES: usize = 64 * 1024;
/// Longest accepted line.
pub const MAX_LINE_BYTES: usize = 1024 * 1024;
/// Chunks in flight for each thread of the pool: enough that no thread waits for the oldest chunk to be written.
const CHUNKS_PER_THREAD: usize = 4;

/// A line of the input, as a handler sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'t> {
    /// The text, without its line break.
    Text(&'t [u8]),
    /// The line is longer than [`MAX_LINE_BYTES`] and was skipped.
    TooLong,
    /// The handler panicked on this line.
    Defect,
}

/// How many lines were answered, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Lines that are not blank.
    pub lines: u64,
    /// Lines among them that were refused.
    pub refused: u64,
    /// The number of the first refused line, counted from one.
    pub first_refused: Option<u64>,
}

/// Why the stream ended early.
#[derive(Debug)]
pub enum StreamError {
    /// The input could not be read to its end.
    Read(io::Error),
    /// The output could not be written.
    Write(io::Error),
}

/// Answers every line of `input` that is not blank. `handle` gets the line's number and text, appends the answer to the
/// buffer and says whether the line was accepted. `progress` is told of the bytes read for each chunk written.
pub fn answer_lines<H>(
    input: impl Read + Send + 'static,
    output: &mut impl Write,
    handle: H,
    mut progress: impl FnMut(u64),
) -> Result<Tally, StreamError>
where
    H: Fn(u64, Line, &mut Vec<u8>) -> bool + Send + Sync + 'static,
{
    // The reader is not joined: when writing fails it may be waiting for input that never comes.
    let chunks = start_reader(input, Arc::new(handle));
    let mut total = Tally::default();
    for chunk in chunks {
        let answers = chunk.map_err(StreamError::Read)?.recv().expect("every task sends its answers");
        output.write_all(&answers.text).and_then(|()| output.flush()).map_err(StreamError::Write)?;
        total.lines += answers.tally.lines;
        total.refused += answers.tally.refused;
        total.first_refused = total.first_refused.or(answers.tally.first_refused);
        progress(answers.bytes_read);
    }
    Ok(total)
}

/// The answers to one chunk.
struct Answers {
    text: Vec<u8>,
    tally: Tally,
    bytes_read: u64,
}

type Queue = Receiver<io::Result<Receiver<Answers>>>;

fn start_reader<H>(input: impl Read + Send + 'static, handle: Arc<H>) -> Queue
where
    H: Fn(u64, Line, &mut Vec<u8>) -> bool + Send + Sync + 'static,
{
    let (queue, chunks) = sync_channel(CHUNKS_PER_THREAD * rayon::current_num_threads());
    std::thread::spawn(move || {
        let mut source = ChunkReader::new(input);
        loop {
            let queued = match source.next_chunk() {
                Ok(None) => break,
                Ok(Some(chunk)) => {
                    let (sender, answers) = sync_channel(1);
                    let handle = Arc::clone(&handle);
                    // A failed send means that nobody waits for the answers any more.
                    rayon::spawn(move || drop(sender.send(answer_chunk(&chunk, &*handle))));
                    queue.send(Ok(answers))
                }
                Err(error) => {
                    let _ = queue.send(Err(error));
                    break;
                }
            };
            if queued.is_err() {
                break;
            }
        }
    });
    chunks
}

fn answer_chunk(chunk: &Chunk, handle: &impl Fn(u64, Line, &mut Vec<u8>) -> bool) -> Answers {
    let mut text = Vec::new();
    let mut tally = Tally::default();
    let mut answer = |number: u64, line: Line| {
        let start = text.len();
        let attempt = catch_unwind(AssertUnwindSafe(|| handle(number, line, &mut text)));
        let accepted = attempt.unwrap_or_else(|_| {
            text.truncate(start);
            handle(number, Line::Defect, &mut text)
        });
        text.push(b'\n');
        tally.lines += 1;
        if !accepted {
            tally.refused += 1;
            tally.first_refused.get_or_insert(number);
        }
    };
    match &chunk.content {
        Content::Lines(bytes) => {
            for (number, line) in (chunk.first_line..).zip(bytes.split(|&byte| byte == b'\n')) {
                // The byte order mark that some editors put before the first line is no part of it.
                let line = if number == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
                if line.len() > MAX_LINE_BYTES {
                    answer(number, Line::TooLong);
                } else if !line.trim_ascii().is_empty() {
                    answer(number, Line::Text(line));
                }
            }
        }
        Content::TooLong => answer(chunk.first_line, Line::TooLong),
    }
    Answers { text, tally, bytes_read: chunk.bytes_read }
}

/// A piece of the input.
struct Chunk {
    /// Number of its first line, counted from one.
    first_line: u64,
    content: Content,
    /// Bytes taken from the input since the chunk before.
    bytes_read: u64,
}

enum Content {
    /// Whole lines; the last line break is left out.
    Lines(Vec<u8>),
    /// One line that is too long, already skipped.
    TooLong,
}

/// Cuts an input into chunks of whole lines.
struct ChunkReader<R> {
    input: R,
    /// The beginning of a line whose end is not read yet.
    pending: Vec<u8>,
    /// How many bytes of it are known to hold no line break.
    searched: usize,
    next_line: u64,
    bytes_read: u64,
    ended: bool,
}

impl<R: Read> ChunkReader<R> {
    fn new(input: R) -> ChunkReader<R> {
        ChunkReader { input, pending: Vec::new(), searched: 0, next_line: 1, bytes_read: 0, ended: false }
    }

    fn next_chunk(&mut self) -> io::Result<Option<Chunk>> {
        loop {
            if let Some(last_break) = memchr::memrchr(b'\n', &self.pending[self.searched..]) {
                let rest = self.pending.split_off(self.searched + last_break + 1);
                self.searched = rest.len();
                let mut lines = std::mem::replace(&mut self.pending, rest);
                lines.pop();
                let count = 1 + memchr::memchr_iter(b'\n', &lines).count() as u64;
                return Ok(Some(self.chunk(Content::Lines(lines), count)));
            }
            self.searched = self.pending.len();
            if self.pending.len() > MAX_LINE_BYTES {
                self.skip_line()?;
                return Ok(Some(self.chunk(Content::TooLong, 1)));
            }
            if self.ended || self.fill()? == 0 {
                // Asked again after the end, a terminal would wait for more.
                self.ended = true;
                if self.pending.is_empty() {
                    return Ok(None);
                }
                self.searched = 0;
                let rest = std::mem::take(&mut self.pending);
                return Ok(Some(self.chunk(Content::Lines(rest), 1)));
            }
        }
    }

    fn chunk(&mut self, content: Content, lines: u64) -> Chunk {
        let first_line = self.next_line;
        self.next_line += lines;
        Chunk { first_line, content, bytes_read: std::mem::take(&mut self.bytes_read) }
    }

    /// Appends what one read yields to `pending`; 0 at the end of the input.
    fn fill(&mut self) -> io::Result<usize> {
        let known = self.pending.len();
        self.pending.resize(known + CHUNK_BYTES, 0);
        let outcome = loop {
            match self.input.read(&mut self.pending[known..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                outcome => break outcome,
            }
        };
        let fresh = *outcome.as_ref().unwrap_or(&0);
        self.pending.truncate(known + fresh);
        self.bytes_read += fresh as u64;
        outcome
    }

    /// Drops everything up to the next line break.
    fn skip_line(&mut self) -> io::Result<()> {
        self.searched = 0;
        loop {
            self.pending.clear();
            if self.fill()? == 0 {
                self.ended = true;
                return Ok(());
            }
            if let Some(end) = memchr::memchr(b'\n', &self.pending) {
                self.pending.drain(..=end);
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Yields its pieces one read at a time.
    struct Pieces(Vec<Vec<u8>>);

    impl Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let Some(piece) = self.0.first_mut() else { return Ok(0) };
            let count = piece.len().min(buffer.len());
            buffer[..count].copy_from_slice(&piece[..count]);
            piece.drain(..count);
            if piece.is_empty() {
                self.0.remove(0);
            }
            Ok(count)
        }
    }

    /// Repeats each line with its number; refuses lines that begin with `!`, panics on those that begin with `?`.
    fn echo(number: u64, line: Line, answers: &mut Vec<u8>) -> bool {
        write!(answers, "{number}:").unwrap();
        match line {
            Line::Text(text) => {
                answers.extend_from_slice(text);
                assert!(!text.starts_with(b"?"), "the handler fails on this line");
                !text.starts_with(b"!")
            }
            Line::TooLong => {
                answers.extend_from_slice(b"too long");
                false
            }
            Line::Defect => {
                answers.extend_from_slice(b"defect");
                false
            }
        }
    }

    fn run(pieces: &[&[u8]]) -> (String, Tally) {
        let input = Pieces(pieces.iter().filter(|piece| !piece.is_empty()).map(|piece| piece.to_vec()).collect());
        let bytes: usize = pieces.iter().map(|piece| piece.len()).sum();
        let (mut output, mut bytes_read) = (Vec::new(), 0);
        let tally = answer_lines(input, &mut output, echo, |bytes| bytes_read += bytes).unwrap();
        assert_eq!(bytes_read as usize, bytes);
        (String::from_utf8(output).unwrap(), tally)
    }

    #[test]
    fn lines_are_answered_wherever_the_reads_cut_them() {
        let text = b"\xef\xbb\xbfone\n\n  \r\nfour\r\n!five\nsix";
        let expected = "1:one\n4:four\r\n5:!five\n6:six\n";
        let tally = Tally { lines: 4, refused: 1, first_refused: Some(5) };
        for first in 0..text.len() {
            for second in first..text.len() {
                let pieces = [&text[..first], &text[first..second], &text[second..]];
                assert_eq!(run(&pieces), (expected.to_owned(), tally), "cut at {first} and {second}");
            }
        }
        assert_eq!(run(&[]), (String::new(), Tally::default()));
        assert_eq!(run(&[b"\n\n\n"]), (String::new(), Tally::default()));
    }

    #[test]
    fn a_line_is_answered_before_the_next_one_is_written() {
        let (mut questions, input) = io::pipe().map(|(reader, writer)| (writer, reader)).unwrap();
        let (answers, mut output) = io::pipe().unwrap();
        let stream = std::thread::spawn(move || answer_lines(input, &mut output, echo, |_| ()).unwrap());
        let mut answers = io::BufReader::new(answers);
        for number in 1..=3 {
            writeln!(questions, "hello").unwrap();
            let mut answer = String::new();
            io::BufRead::read_line(&mut answers, &mut answer).unwrap();
            assert_eq!(answer, format!("{number}:hello\n"));
        }
        drop(questions);
        assert_eq!(stream.join().unwrap().lines, 3);
    }

    #[test]
    fn the_longest_line_is_answered_and_a_longer_one_refused() {
        let longest = vec![b'x'; MAX_LINE_BYTES];
        for excess in [0, 1, CHUNK_BYTES, 5 * MAX_LINE_BYTES] {
            let long = [longest.clone(), vec![b'x'; excess]].concat();
            let (answers, tally) = run(&[b"a\n", &long, b"\nb\nc"]);
            let expected =
                if excess == 0 { String::from_utf8(longest.clone()).unwrap() } else { "too long".to_owned() };
            assert!(answers == format!("1:a\n2:{expected}\n3:b\n4:c\n"), "excess {excess}");
            assert_eq!(tally.refused, u64::from(excess > 0));
            let (unended, _) = run(&[&long]);
            assert!(unended == format!("1:{expected}\n"), "excess {excess}");
        }
    }

    #[test]
    fn a_defect_costs_one_line_only() {
        let (answers, tally) = run(&[b"one\n?two\nthree\n"]);
        assert_eq!(answers, "1:one\n2:defect\n3:three\n");
        assert_eq!(tally, Tally { lines: 3, refused: 1, first_refused: Some(2) });
    }

    #[test]
    fn failures_to_read_and_write_are_told_apart() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::ErrorKind::TimedOut.into())
            }
        }
        let mut output = Vec::new();
        let outcome = answer_lines((&b"one\ntwo"[..]).chain(Broken), &mut output, echo, |_| ());
        assert!(matches!(outcome, Err(StreamError::Read(error)) if error.kind() == io::ErrorKind::TimedOut));
        assert_eq!(output, b"1:one\n");

        let (reader, mut closed) = io::pipe().unwrap();
        drop(reader);
        let outcome = answer_lines(io::repeat(b'\n').chain(&b"x\n"[..]).take(10), &mut closed, echo, |_| ());
        assert_eq!(outcome.unwrap(), Tally::default());
        let outcome = answer_lines(&b"one\n"[..], &mut closed, echo, |_| ());
        assert!(matches!(outcome, Err(StreamError::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe));
    }
}
