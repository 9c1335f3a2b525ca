package org.posthouse.ops;

/** Where the console writes who ordered what, and who was refused; supplied by the appliance. Thread-safe, must not block for long. */
public interface ConsoleAudit {
    /** Writes nothing. */
    ConsoleAudit NONE = new ConsoleAudit() {
        @Override
        public void ordered(String who, String what) {}

        @Override
        public void entered(String who, String what) {}

        @Override
        public void refused(String who, String what) {}
    };

    /**
     * An order was taken; what came of it is told too.
     *
     * @param who  user and address
     * @param what the order, and its outcome, in one line
     */
    void ordered(String who, String what);

    /**
     * Somebody logged in or out.
     *
     * @param who  name, role, user of the process and address
     * @param what which of the two
     */
    void entered(String who, String what);

    /**
     * A request was refused for want of proof.
     *
     * @param who  user and address
     * @param what the request, and why, in one line
     */
    void refused(String who, String what);
}
