import { useViewParams } from '../ui/use-view-params.ts';

const shapes = { table: 'Table', chart: 'Chart', json: 'JSON' } as const;

/** How a result is shown. */
export type Shape = keyof typeof shapes;

const all = Object.keys(shapes) as readonly Shape[];

/** From the URL; a table by default. */
export function shapeOf(params: URLSearchParams): Shape {
  const requested = params.get('view') ?? 'table';
  return Object.hasOwn(shapes, requested) ? (requested as Shape) : 'table';
}

interface ShapeChoiceProps {
  readonly shape: Shape;
  /** Absent for all. */
  readonly offered?: readonly Shape[] | undefined;
}

/** Changes the shape in the URL. */
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
