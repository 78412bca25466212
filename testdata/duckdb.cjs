// Runs each SQL statement of its arguments in one DuckDB and prints, for the
// last, the type of every column as a line {"path","type"}, down to the fields of
// structs and lists, and every row as a line {"row"}.
const { DuckDBInstance, DuckDBTypeId } = require("@duckdb/node-api");

function* leaves(path, type) {
  switch (type.typeId) {
    case DuckDBTypeId.STRUCT:
      for (let i = 0; i < type.entryNames.length; i++) yield* leaves(`${path}.${type.entryNames[i]}`, type.entryTypes[i]);
      return;
    case DuckDBTypeId.LIST:
      yield* leaves(`${path}[]`, type.valueType);
      return;
  }
  yield { path, type: type.alias || type.toString() };
}

(async () => {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  let reader;
  for (const sql of process.argv.slice(2)) reader = await connection.runAndReadAll(sql);
  reader.columnNames().forEach((name, i) => {
    for (const leaf of leaves(name, reader.columnType(i))) console.log(JSON.stringify(leaf));
  });
  for (const row of reader.getRowObjectsJson()) console.log(JSON.stringify({ row }));
})();
