package dev.foretoken.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.Test;

/** Dependencies point one way: cli to report, validation and calibration, these to formats, formats to sim. */
class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.foretoken");

    @Test
    void modulesDependOneWay() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .withOptionalLayers(true)
                .layer("sim")
                .definedBy("dev.foretoken.sim..")
                .layer("formats")
                .definedBy("dev.foretoken.formats..")
                .layer("calibration")
                .definedBy("dev.foretoken.calibration..")
                .layer("validation")
                .definedBy("dev.foretoken.validation..")
                .layer("report")
                .definedBy("dev.foretoken.report..")
                .layer("cli")
                .definedBy("dev.foretoken.cli..")
                .whereLayer("cli")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("calibration")
                .mayOnlyBeAccessedByLayers("cli")
                .whereLayer("validation")
                .mayOnlyBeAccessedByLayers("cli")
                .whereLayer("report")
                .mayOnlyBeAccessedByLayers("cli")
                .whereLayer("formats")
                .mayOnlyBeAccessedByLayers("cli", "calibration", "validation", "report")
                .whereLayer("sim")
                .mayOnlyBeAccessedByLayers("cli", "calibration", "validation", "report", "formats")
                .check(CLASSES);
    }

    @Test
    void theModelDoesNoInputOrOutput() {
        ArchRule rule = noClasses()
                .that()
                .resideInAPackage("dev.foretoken.sim..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "java.io..", "java.net..", "java.nio.channels..", "com.fasterxml..", "org.yaml..", "picocli..")
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.nio.file.Files");
        rule.check(CLASSES);
    }
}
