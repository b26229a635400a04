// What a sensor is to the rest of the console.
import { createSensor, deleteSensor, getSensor, listSensors, updateSensor } from "@psp/contract/sensor/sensor.api.ts";
import { paths } from "../address/paths.ts";
import { defineEntity, plainRights } from "../entity/entity.ts";
import { sensorText } from "./sensor.text.ts";

export const sensor = defineEntity({
  type: "sensor",
  calls: { list: listSensors, get: getSensor, create: createSensor, update: updateSensor, remove: deleteSensor },
  // What was counted is counted for the location of the sensor.
  shownBy: ["datapoint"],
  text: sensorText,
  nameOf: ({ _id }) => _id,
  paths: { list: paths.sensors, remove: paths.deleteSensor },
  rights: plainRights("sensor"),
});
