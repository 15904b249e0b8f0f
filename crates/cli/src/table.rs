//! A table for a terminal: columns as wide as needed, the last flexible one cut to fit the width.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::out::{BOLD, styled};

/// How a column is aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    /// To the left: words.
    Left,
    /// To the right: numbers.
    Right,
}

/// Rows of cells under headings. Cells may carry colours; widths are counted without them.
#[derive(Debug)]
pub(crate) struct Table {
    heads: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
    flexible: usize,
}

impl Table {
    /// A table with these columns. The first left-aligned one gives way where space is short.
    pub(crate) fn new(heads: &[(&str, Align)]) -> Self {
        let flexible = heads.iter().position(|(_, align)| *align == Align::Left).unwrap_or(0);
        let heads = heads.iter().map(|(head, align)| ((*head).to_owned(), *align)).collect();
        Self { heads, rows: Vec::new(), flexible }
    }

    /// Lets another column give way.
    pub(crate) fn flexible(mut self, column: usize) -> Self {
        self.flexible = column;
        self
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The table as text for a terminal of `width` columns.
    pub(crate) fn render(&self, width: usize) -> String {
        let mut widths: Vec<usize> = self.heads.iter().map(|(head, _)| head.width()).collect();
        for row in &self.rows {
            for (column, cell) in row.iter().enumerate() {
                widths[column] = widths[column].max(shown_width(cell));
            }
        }
        let total: usize = widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1);
        if total > width {
            let room = widths[self.flexible].saturating_sub(total - width);
            widths[self.flexible] = room.max(12);
        }
        let heads: Vec<String> = self.heads.iter().map(|(head, _)| styled(BOLD, head)).collect();
        let lines = std::iter::once(&heads).chain(&self.rows);
        lines.map(|row| self.line(row, &widths)).collect::<Vec<_>>().join("\n")
    }

    fn line(&self, row: &[String], widths: &[usize]) -> String {
        let cells = row.iter().enumerate().map(|(column, cell)| {
            let cell = cut(cell, widths[column]);
            let pad = " ".repeat(widths[column].saturating_sub(shown_width(&cell)));
            match self.heads[column].1 {
                Align::Left => cell + &pad,
                Align::Right => pad + &cell,
            }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    }
}

/// A bar of `cells` characters, filled to `share` (0 to 1).
pub(crate) fn bar(share: f64, cells: usize) -> String {
    let eighths = (share.clamp(0.0, 1.0) * cells as f64 * 8.0).round() as usize;
    let (full, rest) = (eighths / 8, eighths % 8);
    let part = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][rest];
    let text = "█".repeat(full) + part;
    let pad = cells.saturating_sub(text.chars().count());
    text + &"░".repeat(pad)
}

fn shown_width(cell: &str) -> usize {
    anstream::adapter::strip_str(cell).to_string().width()
}

/// Cuts the start of a cell that is too wide: the end of a path says more than its start. Colours
/// are dropped from a cell that is cut.
fn cut(cell: &str, width: usize) -> String {
    if shown_width(cell) <= width {
        return cell.to_owned();
    }
    let plain = anstream::adapter::strip_str(cell).to_string();
    let mut kept = String::new();
    let mut used = 1;
    for c in plain.chars().rev() {
        used += c.width().unwrap_or(0);
        if used > width {
            break;
        }
        kept.insert(0, c);
    }
    format!("…{kept}")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn fits_the_width() {
        let mut table = Table::new(&[("file", Align::Left), ("lines", Align::Right)]);
        table.row(vec!["src/a/very/long/path/to/some/file.rs".into(), "12/30".into()]);
        table.row(vec!["b.rs".into(), styled(BOLD, "1/1")]);
        let text = anstream::adapter::strip_str(&table.render(30)).to_string();
        expect![[r#"
            file                     lines
            …g/path/to/some/file.rs  12/30
            b.rs                       1/1"#]]
        .assert_eq(&text);
        assert_eq!(bar(0.5, 4), "██░░");
        assert_eq!(bar(1.0, 3), "███");
        assert_eq!(bar(0.01, 3), "░░░");
    }
}
