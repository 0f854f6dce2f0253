export function Brand() {
  return (
    <span className="brand">
      <img src="/console/icon.svg" alt="" width="24" height="24" />
      Querydock
    </span>
  );
}
