import { useViewParams } from '../ui/use-view-params.ts';

const shapes = { table: 'Table', chart: 'Chart', json: 'JSON' } as const;

/** What a result is shown as. */
export type Shape = keyof typeof shapes;

const all = Object.keys(shapes) as readonly Shape[];

/** That the address names; a table when it names none. */
export function shapeOf(params: URLSearchParams): Shape {
  const asked = params.get('view') ?? 'table';
  return Object.hasOwn(shapes, asked) ? (asked as Shape) : 'table';
}

interface ShapeChoiceProps {
  readonly shape: Shape;
  /** Absent: all. */
  readonly offered?: readonly Shape[] | undefined;
}

/** Changes the shape in the address. */
export function ShapeChoice({ shape, offered = all }: ShapeChoiceProps) {
  const [, change] = useViewParams();
  return (
    <fieldset className="segmented">
      <legend className="visually-hidden">Show the rows as</legend>
      {offered.map((one) => (
        <label key={one} className="segment">
          <input
            type="radio"
            name="shape"
            value={one}
            checked={one === shape}
            onChange={() => change((next) => next.set('view', one))}
          />
          {shapes[one]}
        </label>
      ))}
    </fieldset>
  );
}
