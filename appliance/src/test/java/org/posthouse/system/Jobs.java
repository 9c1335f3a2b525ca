package org.posthouse.system;

import java.util.List;
import org.posthouse.launch.Installation;

/** The programs in {@code jobs} as the command line wants them. */
final class Jobs {
    private Jobs() {}

    /** The folder that holds the test programs. */
    static String classPath() {
        return Installation.jarOf(Jobs.class).toString();
    }

    /** Processes that run ranks of these programs and are alive: children of {@code parent}. */
    static List<ProcessHandle> ranks(ProcessHandle parent) {
        return parent.descendants().filter(ProcessHandle::isAlive).toList();
    }
}
