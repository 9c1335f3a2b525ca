/**
 * {@code posthouse bench wan}: links of an emulated wide-area network, and whole jobs over it. {@link
 * org.posthouse.bench.wan.WanPlan} is the entry. It measures pairs with the parent package, which does not use it.
 * All state belongs to the driver's thread.
 */
package org.posthouse.bench.wan;
