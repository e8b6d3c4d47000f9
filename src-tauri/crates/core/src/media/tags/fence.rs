//! Fenced code blocks, as far as a reader of lines needs them (CommonMark, "Fenced code blocks" and "Block quotes").

/// Whether the line at hand lies in a fenced block. Lines are given in order, each once.
#[derive(Default)]
pub struct Fences {
    open: Option<Fence>,
}

struct Fence {
    sign: char,
    length: usize,
    /// How many quotes the block stands in: it ends where they end.
    quotes: usize,
}

impl Fences {
    /// Whether this line is a fence or inside one.
    pub fn is_code(&mut self, line: &str) -> bool {
        if let Some(open) = &self.open {
            let (quotes, content) = without_quotes(line, open.quotes);
            // No line continues code of a quote without the quote's own sign.
            if quotes == open.quotes {
                let (sign, length, rest) = run(content);
                if sign == Some(open.sign) && length >= open.length && rest.trim().is_empty() {
                    self.open = None;
                }
                return true;
            }
            self.open = None;
        }
        let (quotes, content) = without_quotes(line, usize::MAX);
        let (sign, length, rest) = run(content);
        // Backticks behind the first run make it code within the line.
        let opens = length >= 3 && !(sign == Some('`') && rest.contains('`'));
        self.open = sign.filter(|_| opens).map(|sign| Fence { sign, length, quotes });
        opens
    }

    /// The line that ends the block which is open behind the last line, if one is. One in a quote ends with the quote.
    pub fn end(&self) -> Option<String> {
        let open = self.open.as_ref().filter(|open| open.quotes == 0);
        open.map(|open| open.sign.to_string().repeat(open.length))
    }
}

/// How many quotes the line stands in, `most` at most, and what stands there.
fn without_quotes(line: &str, most: usize) -> (usize, &str) {
    let mut content = line;
    for quotes in 0..most {
        // In a list a quote is indented with its item, so any depth counts, as for fences.
        let Some(inner) = content.trim_start().strip_prefix('>') else { return (quotes, content) };
        content = inner;
    }
    (most, content)
}

/// The run of a fence's sign with which a line begins, its length, and the rest. In a list it is indented with its item,
/// so any depth counts.
fn run(line: &str) -> (Option<char>, usize, &str) {
    let line = line.trim_start();
    let sign = line.chars().next().filter(|sign| matches!(sign, '`' | '~'));
    let length = sign.map_or(0, |sign| line.chars().take_while(|c| *c == sign).count());
    (sign, length, &line[length..])
}
