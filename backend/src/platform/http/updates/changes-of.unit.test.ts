import { UpdateScheduleDto } from '../../../runs/scheduler/schedules.dto.js';
import { UpdateSkriptDto } from '../../../runs/skripts/skripts.dto.js';
import { UpdateExporterDto } from '../../../transfers/exports/exporters/exporters.dto.js';
import { strictValidation } from '../strict-validation.pipe.js';

const checked = async (metatype: new () => object, value: unknown): Promise<object> =>
  Object.assign({}, await strictValidation().transform(value, { type: 'body', metatype }));

describe('the body of an update', () => {
  it.each([UpdateScheduleDto, UpdateExporterDto, UpdateSkriptDto])(
    '%p has no defaults for fields that the caller omits',
    async dto => {
      expect(await checked(dto, {})).toEqual({});
    },
  );

  it('is validated and converted like the body of a creation', async () => {
    expect(await checked(UpdateSkriptDto, { title: ' Books ' })).toEqual({ title: 'Books' });
    await expect(checked(UpdateSkriptDto, { title: '' })).rejects.toThrow('title must have between 1 and 120');
    await expect(checked(UpdateScheduleDto, { overlap: 'stop' })).rejects.toThrow('overlap must be one of skip');
    await expect(checked(UpdateExporterDto, { destination: {} })).rejects.toThrow('destination.type');
  });

  it('allows null only where the creation does, and for fields that null removes', async () => {
    await expect(checked(UpdateScheduleDto, { name: null })).rejects.toThrow('name must be');
    expect(await checked(UpdateScheduleDto, { input_id: null })).toEqual({ input_id: null });
    await expect(checked(UpdateExporterDto, { name: null })).rejects.toThrow('name must be');
    const cleared = { cron_span: null, destination: null, skript_id: null };
    expect(await checked(UpdateExporterDto, cleared)).toEqual(cleared);
  });
});
