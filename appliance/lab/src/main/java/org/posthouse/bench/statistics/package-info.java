/**
 * Times and costs of repeated phases: medians, percentiles, ratios, and when a series counts as warm. It knows
 * neither tests nor carriers. All state belongs to the driver's thread.
 */
package org.posthouse.bench.statistics;
