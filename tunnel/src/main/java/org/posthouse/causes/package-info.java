/**
 * What failures say to people: the text of an exception that is not ours is put into words here, for commands, frames and status. It has no state and knows
 * nobody. The tunnel's rooms may call it, and the appliance's but for the core; the library, the log store and the console do not know it.
 */
package org.posthouse.causes;
