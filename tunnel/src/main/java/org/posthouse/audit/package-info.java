/**
 * The audit log for a relay's operator: who was refused, and who changed what. All code that serves users or peers
 * writes to it. Beside it, the log of what happens to a relay's jobs, ranks and links. Stateless and thread-safe. The appliance configures its destination.
 */
package org.posthouse.audit;
