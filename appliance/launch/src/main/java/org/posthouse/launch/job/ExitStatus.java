package org.posthouse.launch.job;

import java.util.List;
import org.posthouse.wire.ExitStatuses;

/**
 * Meaning of the exit status of a rank's process: a text, and whether the same program would end the same way again.
 */
public final class ExitStatus {
    private static final int SIGNAL_BASE = 128;

    private static final List<String> SIGNALS = List.of(
            "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGUSR1", "SIGSEGV",
            "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGSTKFLT", "SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU",
            "SIGURG", "SIGXCPU", "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO", "SIGPWR", "SIGSYS");

    private ExitStatus() {}

    /** Whether something around the program ended the process, so that a new one may well get further. */
    public static boolean isAccident(int status) {
        return isSignal(status) || status == ExitStatuses.CONNECTION || status == ExitStatuses.RESTART || status == ExitStatuses.STATE;
    }

    /** Whether a terminal sends this signal to all its processes at once, the launcher included: Ctrl-C, or its own end. */
    public static boolean isFromTerminal(int status) {
        return status == SIGNAL_BASE + 1 || status == SIGNAL_BASE + 2;
    }

    private static boolean isSignal(int status) {
        return status > SIGNAL_BASE && status <= SIGNAL_BASE + SIGNALS.size();
    }

    /** For instance "was killed by signal 9 (SIGKILL)", or "exited with status 42". */
    public static String words(int status) {
        if (status == ExitStatuses.STATE) {
            return "could not save or restore its state (status " + status + ")";
        } else if (status == ExitStatuses.CONNECTION) {
            return "exited with status " + status + ", as one does whose relay is gone or refuses it";
        } else if (!isSignal(status)) {
            return "exited with status " + status;
        }
        int signal = status - SIGNAL_BASE;
        return "was killed by signal " + signal + " (" + SIGNALS.get(signal - 1) + ")";
    }
}
