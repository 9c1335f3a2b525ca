/**
 * Texts of failures for users: converts exceptions of other libraries into words, for commands, frames and status.
 * Stateless; uses no other package of the project. The packages of the tunnel may call it, and those of the appliance
 * except the core. The library, the log store and the console do not use it.
 */
package org.posthouse.causes;
