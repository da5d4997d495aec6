// Sorts a table by the column whose heading is activated; empty cells stay last.
document.querySelectorAll('th button').forEach((button) => {
  button.addEventListener('click', () => {
    const th = button.closest('th');
    const body = th.closest('table').tBodies[0];
    const column = th.cellIndex;
    const up = th.getAttribute('aria-sort') !== 'ascending';
    const key = (row) => {
      const cell = row.cells[column];
      return cell.dataset.v === undefined ? cell.textContent : cell.dataset.v;
    };
    const numeric = th.classList.contains('n');
    const compare = (a, b) => {
      const x = key(a);
      const y = key(b);
      if (x === '' || y === '') {
        return (x === '') - (y === '');
      }
      const order = numeric ? Number(x) - Number(y) : x.localeCompare(y, undefined, { numeric: true });
      return up ? order : -order;
    };
    Array.from(body.rows).sort(compare).forEach((row) => body.append(row));
    th.parentNode.querySelectorAll('th').forEach((other) => other.removeAttribute('aria-sort'));
    th.setAttribute('aria-sort', up ? 'ascending' : 'descending');
  });
});
