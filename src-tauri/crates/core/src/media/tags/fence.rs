//! Fenced code blocks, as far as a reader of lines needs them (CommonMark, "Fenced code blocks").

/// Whether the line at hand lies in a fenced block. Lines are given in order, each once.
#[derive(Default)]
pub struct Fences {
    open: Option<Fence>,
}

struct Fence {
    sign: char,
    length: usize,
}

impl Fences {
    /// Whether this line is a fence or inside one.
    pub fn is_code(&mut self, line: &str) -> bool {
        // In a list the fence is indented with its item, so any depth counts.
        let line = line.trim_start();
        let sign = line.chars().next().filter(|sign| matches!(sign, '`' | '~'));
        let length = sign.map_or(0, |sign| line.chars().take_while(|c| *c == sign).count());
        let rest = &line[length..];
        match &self.open {
            Some(open) => {
                if sign == Some(open.sign) && length >= open.length && rest.trim().is_empty() {
                    self.open = None;
                }
                true
            }
            None => {
                // Backticks behind the first run make it code within the line.
                let opens = length >= 3 && !(sign == Some('`') && rest.contains('`'));
                self.open = sign.filter(|_| opens).map(|sign| Fence { sign, length });
                opens
            }
        }
    }

    /// The line that ends the block which is open behind the last line, if one is.
    pub fn end(&self) -> Option<String> {
        self.open.as_ref().map(|open| open.sign.to_string().repeat(open.length))
    }
}
