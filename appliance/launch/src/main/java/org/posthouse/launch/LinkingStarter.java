package org.posthouse.launch;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.process.ProcessRequest;
import org.posthouse.launch.process.ProcessStarter;
import org.posthouse.launch.process.StartedProcess;
import org.posthouse.launch.process.StoppedRanks;
import org.posthouse.launch.stage.LinkedFiles;
import org.posthouse.launch.stage.StageException;

/** Starts ranks on this host, with links to the job's files in the folder where they run. Confined to the job's thread. */
final class LinkingStarter implements ProcessStarter {
    private final ProcessStarter starter;
    private final LinkedFiles links;

    private LinkingStarter(ProcessStarter starter, LinkedFiles links) {
        this.starter = starter;
        this.links = links;
    }

    /** @throws JobFailure in one line, if the folder has another file of a name */
    static ProcessStarter of(ProcessStarter starter, List<Path> files) throws JobFailure {
        try {
            return new LinkingStarter(starter, LinkedFiles.in(Path.of("").toAbsolutePath(), files));
        } catch (StageException e) {
            throw new JobFailure(e.getMessage(), e);
        }
    }

    @Override
    public StartedProcess start(ProcessRequest request) throws JobFailure {
        return starter.start(request);
    }

    @Override
    public Optional<StartedProcess> adopt(ProcessRequest request) {
        return starter.adopt(request);
    }

    @Override
    public StopWatch limitStops(Supplier<List<? extends StoppedRanks.Watched>> processes, int seconds, Consumer<String> tell) {
        return starter.limitStops(processes, seconds, tell);
    }

    @Override
    public void close() throws JobFailure {
        links.close();
        starter.close();
    }
}
