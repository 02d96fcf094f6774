//! The charts of a set of tables, and a self-contained page with all of them.

use oaklath_params::sig;

use crate::chart::{Chart, Point, escaped, scatter};
use crate::machine::Machine;
use crate::report::{Cell, RATIO, Table};

/// Draws every chart for which these tables have the figures, by the name of its file.
#[must_use]
pub fn charts(machine: &Machine, tables: &[Table]) -> Vec<(&'static str, String)> {
    let find = |id: &str| tables.iter().find(|table| table.id == id);
    let mut charts = Vec::new();
    if let Some(table) = find("kem-speed") {
        charts.push(("kem-speed", kems(machine, table)));
    }
    if let Some(table) = find("wolfcrypt") {
        charts.push(("signature-speed", signatures(machine, table)));
        charts.push(("signature-size", sizes(table)));
    }
    if let Some(table) = find("tls-bench") {
        charts.push(("handshakes", handshakes(table)));
    }
    if let Some(table) = find("flights") {
        charts.push(("flights", flights(table)));
    }
    if let Some(table) = find("peers") {
        charts.push(("peers", peers(table)));
    }
    charts
}

/// Returns the levels of the figures: the best one, and below it AVX2 and scalar.
fn levels(machine: &Machine) -> Vec<String> {
    let below = ["avx2", "scalar"].into_iter().filter(|level| *level != machine.level);
    [machine.level.as_str()].into_iter().chain(below).map(str::to_owned).collect()
}

/// Returns the figures of the best level, of AVX2 and scalar, without AVX2 if that is the best.
fn of_levels(
    machine: &Machine,
    best: Option<f64>,
    avx2: Option<f64>,
    scalar: Option<f64>,
) -> Vec<Option<f64>> {
    match machine.level.as_str() {
        "avx2" => vec![best, scalar],
        "scalar" => vec![best, avx2],
        _ => vec![best, avx2, scalar],
    }
}

fn kems(machine: &Machine, table: &Table) -> String {
    let [best, avx2, scalar] =
        ["ours, us", "at AVX2, us", "scalar, us"].map(|name| table.column(name));
    let rows = table.rows.iter().map(|row| {
        let rate = |column: usize| row[column].value().map(|micros| 1e6 / micros);
        let name = format!("{} {}", row[0].shown(), row[1].shown());
        (name, of_levels(machine, rate(best), rate(avx2), rate(scalar)))
    });
    Chart {
        title: "Key encapsulation on one core".to_owned(),
        unit: "operations a second".to_owned(),
        series: levels(machine),
        rows: rows.collect(),
        marks: Vec::new(),
    }
    .dots()
}

/// Returns our own rows of a table for this operation, by the scheme's name.
fn of_operation<'a>(
    table: &'a Table,
    operation: &'a str,
) -> impl Iterator<Item = (String, &'a [Cell])> + 'a {
    table.rows.iter().filter_map(move |row| {
        let name = row[1].shown();
        let scheme = name.strip_suffix(operation)?.trim_end().to_owned();
        (row[0] == Cell::text("")).then_some((scheme, row.as_slice()))
    })
}

/// Returns the name of a scheme without the parts that its whole family shares.
fn brief(scheme: &str) -> String {
    scheme.trim_end_matches("-simple").replace("SHAKE256-", "SHAKE-")
}

fn signatures(machine: &Machine, table: &Table) -> String {
    let [best, avx2, scalar] =
        ["ops/s", "at AVX2, ops/s", "scalar, ops/s"].map(|name| table.column(name));
    let rows = [" sign", " verify"].into_iter().flat_map(|operation| {
        of_operation(table, operation).map(move |(scheme, row)| {
            let rate = |column: usize| row[column].value();
            let values = of_levels(machine, rate(best), rate(avx2), rate(scalar));
            (brief(&scheme) + operation, values)
        })
    });
    Chart {
        title: "Signatures, keys as bytes".to_owned(),
        unit: "operations a second".to_owned(),
        series: levels(machine),
        rows: rows.collect(),
        marks: Vec::new(),
    }
    .dots()
}

const FAMILIES: [&str; 5] = ["ML-DSA", "Dilithium", "Falcon", "SLH-DSA", "SPHINCS+"];

fn sizes(table: &Table) -> String {
    let rate = table.column("ops/s");
    let points = of_operation(table, " sign").filter_map(|(scheme, row)| {
        let series = FAMILIES.iter().position(|family| scheme.starts_with(family))?;
        let size = sig::by_name(&scheme)?.signature as f64;
        let name = scheme.trim_start_matches(FAMILIES[series]).trim_start_matches('-');
        // All members of the family SPHINCS+ here have one hash.
        let name = name.trim_start_matches("SHAKE256-").trim_end_matches("-simple").to_owned();
        Some(Point { name, series, at: (size, 1e3 / row[rate].value()?) })
    });
    scatter(
        "Size of a signature and the time to make it",
        ("bytes", "milliseconds"),
        &FAMILIES.map(str::to_owned),
        &points.collect::<Vec<_>>(),
    )
}

fn handshakes(table: &Table) -> String {
    let [role, group, published, ours] =
        ["role", "group", "published, connect avg ms", "connect avg ms"]
            .map(|name| table.column(name));
    let rows = table.rows.iter().filter(|row| row[role] == Cell::text("server")).map(|row| {
        let build = if row[0].shown().starts_with("2021") { " (2021)" } else { "" };
        let name = format!("{}{build}", row[group].shown());
        (name, vec![row[ours].value(), row[published].value()])
    });
    Chart {
        title: "Average handshake of a server, RSA-2048".to_owned(),
        unit: "milliseconds".to_owned(),
        series: vec!["ours".to_owned(), "published".to_owned()],
        rows: rows.collect(),
        marks: Vec::new(),
    }
    .bars()
}

fn flights(table: &Table) -> String {
    let parts = ["ClientHello", "ServerHello … Finished", "Certificate … Finished", "tickets"];
    let columns = parts.map(|name| table.column(name));
    let rows = table.rows.iter().map(|row| {
        let name = format!("{}, {}", row[0].shown(), row[1].shown());
        (name, columns.iter().map(|&column| row[column].value()).collect())
    });
    Chart {
        title: "Bytes of a handshake, both sides with certificates".to_owned(),
        unit: "bytes".to_owned(),
        series: parts.map(str::to_owned).to_vec(),
        rows: rows.collect(),
        marks: vec![
            (1448.0, "1 segment".to_owned()),
            (14_480.0, "10 segments, the first window".to_owned()),
        ],
    }
    .stacked()
}

/// Draws the operation of each algorithm that is least ahead.
fn peers(table: &Table) -> String {
    let ratio = table.column(RATIO);
    let mut rows: Vec<(String, Vec<Option<f64>>)> = Vec::new();
    for row in &table.rows {
        let name = row[0].shown();
        if !rows.iter().any(|(known, _)| *known == name) {
            rows.push((name, vec![row[ratio].value()]));
        }
    }
    Chart {
        title: "Ahead of the fastest peer, at the operation that is least ahead".to_owned(),
        unit: "the peer's time by ours".to_owned(),
        series: vec!["ratio".to_owned()],
        rows,
        marks: vec![(1.0, "equal".to_owned())],
    }
    .bars()
}

const STYLE: &str = "
:root{color-scheme:light dark;--ink:#0b0b0b;--soft:#52514e;--rule:#e1e0d9;--page:#f9f9f7;--card:#fcfcfb;--late:#d03b3b}
@media (prefers-color-scheme:dark){:root{--ink:#fff;--soft:#c3c2b7;--rule:#2c2c2a;--page:#0d0d0d;--card:#1a1a19;--late:#e66767}}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1100px;margin:auto;padding:24px 16px}
h1{font-size:26px;margin:0 0 4px} h2{font-size:19px;margin:40px 0 8px} p{color:var(--soft);max-width:75ch;margin:6px 0}
nav{display:flex;flex-wrap:wrap;gap:4px 16px;margin:16px 0} a{color:inherit}
figure{margin:16px 0;border:1px solid var(--rule);border-radius:8px;overflow:hidden} figure svg{display:block;width:100%}
.table{overflow:auto;max-height:640px;border:1px solid var(--rule);border-radius:8px;background:var(--card)}
table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums;width:100%}
th{position:sticky;top:0;background:var(--card);text-align:left;box-shadow:inset 0 -1px var(--rule)}
th,td{padding:4px 10px;white-space:nowrap} td{border-top:1px solid var(--rule)} th.num,td.num{text-align:right}
tr.late td{color:var(--late)}";

/// Writes a page with charts and tables. Rows where ours is behind are coloured and come first.
#[must_use]
pub fn html(machine: &Machine, tables: &[Table], charts: &[(&'static str, String)]) -> String {
    let mut text = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <title>Oaklath, measured</title><style>{STYLE}</style></head><body><main>\n\
         <h1>Oaklath, measured</h1><p>{}.</p>\n<nav>",
        escaped(&machine.sentence())
    );
    for table in tables {
        text += &format!("<a href=\"#{}\">{}</a>\n", table.id, escaped(&table.title));
    }
    text += "</nav>\n";
    for (name, svg) in charts {
        text += &format!("<figure id=\"chart-{name}\">{svg}</figure>\n");
    }
    for table in tables {
        text += &html_table(table);
    }
    text + "</main></body></html>\n"
}

fn html_table(table: &Table) -> String {
    let mut text = format!("<h2 id=\"{}\">{}</h2>\n", table.id, escaped(&table.title));
    for note in &table.notes {
        text += &format!("<p>{}</p>\n", escaped(note));
    }
    let class = |column: usize| if table.is_numeric(column) { " class=\"num\"" } else { "" };
    text += "<div class=\"table\" tabindex=\"0\"><table><thead><tr>";
    for (i, name) in table.columns.iter().enumerate() {
        text += &format!("<th{}>{}</th>", class(i), escaped(name.trim_end()));
    }
    text += "</tr></thead><tbody>\n";
    let behind = table.behind();
    let is_behind = |row: &[Cell]| behind.iter().any(|late| std::ptr::eq(*late, row));
    let rest = table.rows.iter().map(Vec::as_slice).filter(|row| !is_behind(row));
    for row in behind.iter().copied().chain(rest) {
        text += if is_behind(row) { "<tr class=\"late\">" } else { "<tr>" };
        for (i, cell) in row.iter().enumerate() {
            text += &format!("<td{}>{}</td>", class(i), escaped(&cell.shown()));
        }
        text += "</tr>\n";
    }
    text + "</tbody></table></div>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_every_row_and_needs_no_network() {
        let machine = Machine::look("none");
        let mut table = Table::new("peers", "Peers & others", &["algorithm", "operation", RATIO]);
        table.push(vec![Cell::text("A"), Cell::text("x"), Cell::Number(1.5, 2)]);
        table.push(vec![Cell::text("B"), Cell::text("<y>"), Cell::Number(0.5, 2)]);
        let tables = [table];
        let charts = charts(&machine, &tables);
        assert_eq!(charts.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["peers"]);
        let html = html(&machine, &tables, &charts);
        assert_eq!(html.matches("<tr>").count() + html.matches("<tr class=\"late\">").count(), 3);
        assert!(html.find("&lt;y&gt;").unwrap() < html.find("<td>x</td>").unwrap());
        assert!(!html.contains("http") || html.matches("http").count() == charts.len());
    }
}
